"""Multilayer perceptrons as in a textbook: matrices in float64, central differences, optimizers of one formula each.

A network is a list of pairs, (inputs, outputs) weights and (outputs,) biases.  Nothing comes from the package.
"""

import numpy as np

LEAST = {"first": 1e-30, "second": 1e-36}
"""Smaller moments count as 0."""


def as_float64(pairs):
    return [tuple(np.array(one, np.float64) for one in pair) for pair in pairs]


def layers_of(pairs, slope, inputs):
    """The inputs, the hidden layers, the outputs."""
    found = [np.asarray(inputs, np.float64)]
    for number, (weights, biases) in enumerate(pairs):
        sums = found[-1] @ weights + biases
        found.append(sums if number == len(pairs) - 1 else np.where(sums > 0, sums, slope * sums))
    return found


def differences(outputs, targets, actions):
    """How far each output that is moved is off its target."""
    if actions is None:
        return outputs - targets
    return outputs[np.arange(len(outputs)), actions] - targets


def loss_of(pairs, slope, inputs, targets, actions, loss):
    off = np.abs(differences(layers_of(pairs, slope, inputs)[-1], targets, actions))
    return (off**2 if loss == "squared" else np.where(off < 1, off**2 / 2, off - 0.5)).mean()


def gradients_of(pairs, slope, inputs, targets, actions, loss):
    """Backpropagation over whole matrices."""
    layers = layers_of(pairs, slope, inputs)
    off = differences(layers[-1], targets, actions)
    slopes = (2 * off if loss == "squared" else off.clip(-1, 1)) / off.size
    delta = slopes
    if actions is not None:
        delta = np.zeros_like(layers[-1])
        delta[np.arange(len(delta)), actions] = slopes
    found = []
    for (weights, _), below in zip(pairs[::-1], layers[-2::-1], strict=True):
        found.append((below.T @ delta, delta.sum(axis=0)))
        delta = (delta @ weights.T) * np.where(below > 0, 1, slope)
    return found[::-1]


def loss_of_heads(pairs, slope, inputs, policies, values):
    """Cross-entropy of a softmax over the actions whose target is not negative, and the squared error of the value."""
    outputs = layers_of(pairs, slope, inputs)[-1]
    legal = policies >= 0
    logits = np.where(legal, outputs[:, :-1], -np.inf)
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    entropy = -np.where(legal, policies * np.where(legal, logs, 0), 0).sum(axis=1)
    return (entropy + (outputs[:, -1] - values) ** 2).mean()


def central_differences(pairs, *problem, width=1e-6, loss_of=loss_of):
    """The gradient of every parameter by two losses."""
    found = []
    for pair in pairs:
        slopes = tuple(np.zeros_like(one) for one in pair)
        for array, slope in zip(pair, slopes, strict=True):
            for place in np.ndindex(array.shape):
                before = array[place]
                array[place] = before + width
                above = loss_of(pairs, *problem)
                array[place] = before - width
                slope[place] = (above - loss_of(pairs, *problem)) / (2 * width)
                array[place] = before
        found.append(slopes)
    return found


def flushed(array, kind):
    return np.where(np.abs(array) < LEAST[kind], 0, array)


class Stepper:
    """An optimizer of PyTorch, over one array."""

    def __init__(self, name, decay, square_decay, epsilon, clip):
        self.name, self.decay, self.square_decay, self.epsilon, self.clip = name, decay, square_decay, epsilon, clip
        self.first, self.second, self.steps = 0.0, 0.0, 0

    def step(self, weights, gradient, step_size):
        gradient = np.clip(gradient, -self.clip, self.clip)
        self.steps += 1
        if self.name == "sgd":
            return weights - step_size * gradient
        if self.name == "momentum":
            self.first = flushed(self.decay * self.first + gradient, "first")
            return weights - step_size * self.first
        squares = self.square_decay * self.second + (1 - self.square_decay) * gradient**2
        self.second = flushed(squares, "second")
        if self.name == "rmsprop":
            return weights - step_size * gradient / (np.sqrt(self.second) + self.epsilon)
        self.first = flushed(self.decay * self.first + (1 - self.decay) * gradient, "first")
        mean = self.first / (1 - self.decay**self.steps)
        spread = np.sqrt(self.second / (1 - self.square_decay**self.steps))
        return weights - step_size * mean / (spread + self.epsilon)
