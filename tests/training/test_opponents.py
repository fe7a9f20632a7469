"""The opponents of a run are those that its configuration names, and nobody else."""

import pytest
from training_checks import bits, interrupt_after

from conftest import random_policy
from ttt_fast import AgentError, FileFormatError, TrainingConfig, TrainingRun, UsageError, save_policy, train
from ttt_fast.core.archive import read_meta
from ttt_fast.learners import start_training

SMALL = TrainingConfig(episodes=5000, chunk_episodes=1000, evaluations=2)


def refused(config, opponent, words):
    with pytest.raises(UsageError, match=rf"^expected [^\n]*{words}[^\n]*$"):
        train(config, opponent)


def test_a_run_against_random_is_not_trained_against_minimax(agent):
    refused(SMALL, agent("minimax"), "the opponent 'random' of the configuration, got 'minimax'")
    refused(SMALL, agent("minimax").renamed("random"), "'random' of the configuration, got a different policy")
    refused(SMALL, agent("random").renamed("somebody"), "the opponent 'random' of the configuration, got 'somebody'")
    assert train(SMALL, agent("random")).complete


def test_there_are_as_many_policies_as_opponents(agent):
    curriculum = SMALL.replace(opponent="random@0.5>minimax")
    refused(curriculum, agent("random"), "2 opponents .*, got 1")
    refused(curriculum, [agent("minimax"), agent("random")], "'random' of the configuration, got 'minimax'")
    refused(SMALL.replace(opponent="self"), agent("random"), "0 opponents .*, got 1")
    run = train(curriculum, [agent("random"), agent("minimax")])
    assert bits(run) == bits(train(curriculum))


@pytest.mark.parametrize("opponent", ["foo", "random@0.5>foo", "minimax:tie=best", "none.npz"])
def test_an_unknown_opponent_is_refused_at_the_start(opponent):
    config = TrainingConfig(opponent=opponent)  # as it may stand in a file
    with pytest.raises((AgentError, FileFormatError), match=r"^[^\n]*(foo|tie=best|none\.npz)[^\n]*$"):
        start_training(config)


def test_the_configuration_refuses_a_malformed_opponent(agent):
    with pytest.raises(AgentError, match=r"^expected shares that sum to 1 in 'mix:0\.5\*random', got 1/2$"):
        TrainingConfig(opponent="mix:0.5*random")
    with pytest.raises(
        UsageError,
        match=r"^expected opponent to be the text of an agent, such as the `signature` of a policy",
    ):
        TrainingConfig(opponent=agent("random"))


# --- Policies that no string makes.


def test_a_policy_of_its_own_is_named_with_its_content(tmp_path):
    mine, path = random_policy(1), tmp_path / "q.npz"
    config = SMALL.replace(opponent=mine.signature)
    assert config.opponent.text.startswith("random-rows-1#") and len(config.opponent.text) == len("random-rows-1#") + 64
    run = train(config, mine, checkpoint=path)
    assert read_meta(path)["config"]["opponent"] == mine.signature
    assert run.config.opponent.text == mine.signature != random_policy(2).signature
    refused(config, random_policy(2).renamed("random-rows-1"), "'random-rows-1#.*, got 'random-rows-1#")
    refused(config, mine.renamed("mine"), "'random-rows-1#.*, got 'mine#")
    with pytest.raises(
        AgentError, match=r"^expected the policy 'random-rows-1#\w+', which was created in Python, as an "
    ):
        train(config)


def test_a_curriculum_of_both_kinds(agent):
    mine = random_policy(1)
    config = SMALL.replace(opponent=f"random@0.5>{mine.signature}")
    assert train(config, [agent("random"), mine]).complete
    refused(config, [agent("random"), random_policy(2)], "random-rows-2#")


# --- Runs that go on.


def test_a_run_goes_on_against_whom_it_began(tmp_path, agent):
    rival, path = tmp_path / "rival.npz", tmp_path / "q.npz"
    save_policy(rival, agent("best-response:random"))
    config = SMALL.replace(opponent=str(rival))
    part = train(config, checkpoint=path, on_chunk=interrupt_after(2), on_interrupt="return")
    whole = train(TrainingRun.load(path))
    assert bits(whole) == bits(train(config))
    save_policy(rival, agent("minimax"))
    assert bits(train(part)) == bits(whole)  # the run in memory holds its policies
    with pytest.raises(
        UsageError, match=r"^expected the opponents with which the run was started, but '.*' has changed"
    ):
        train(TrainingRun.load(path))


def test_a_policy_of_its_own_is_given_again(tmp_path):
    mine, path = random_policy(1), tmp_path / "q.npz"
    config = SMALL.replace(opponent=mine.signature)
    train(config, mine, checkpoint=path, on_chunk=interrupt_after(2), on_interrupt="return")
    assert bits(train(TrainingRun.load(path), mine)) == bits(train(config, mine))
    with pytest.raises(AgentError, match="which was created in Python"):
        train(TrainingRun.load(path))
