"""Learning of networks: gradients, optimizers, and one kernel for the update by a minibatch."""
