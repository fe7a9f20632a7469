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


@pytest.mark.parametrize("opponent", ["foo", "random@0.5>foo", "minimax:tie=best"])
def test_an_unknown_opponent_is_refused_at_the_start(opponent):
    config = TrainingConfig(opponent=opponent)  # as it may stand in a file
    with pytest.raises(AgentError, match=r"^[^\n]*(foo|tie=best|mix:0.5)[^\n]*$"):
        start_training(config)


def test_a_malformed_opponent_is_refused_by_the_configuration():
    with pytest.raises(AgentError, match=r"^expected shares that sum to 1 in 'mix:0\.5\*random', got 1/2$"):
        TrainingConfig(opponent="mix:0.5*random")


def test_a_missing_file_is_refused_at_the_start(tmp_path):
    with pytest.raises(FileFormatError, match=r"none\.npz"):
        start_training(TrainingConfig(opponent=str(tmp_path / "none.npz")))


def test_a_policy_is_no_agent_string(agent):
    with pytest.raises(
        UsageError, match=r"^expected opponent to be of type str, got a value of type Policy; its `signature`"
    ):
        TrainingConfig(opponent=agent("random"))


# --- Policies that no string makes.


def test_a_policy_of_its_own_is_named_with_its_content(tmp_path):
    mine, path = random_policy(1), tmp_path / "q.npz"
    config = SMALL.replace(opponent=mine.signature)
    assert config.opponent.startswith("random-rows-1#") and len(config.opponent) == len("random-rows-1#") + 64
    run = train(config, mine, checkpoint=path)
    assert read_meta(path)["config"]["opponent"] == mine.signature
    assert run.config.opponent == mine.signature != random_policy(2).signature
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


@pytest.mark.parametrize("loaded", [False, True])
def test_a_run_goes_on_against_whom_it_began(tmp_path, agent, loaded):
    rival, path = tmp_path / "rival.npz", tmp_path / "q.npz"
    save_policy(rival, agent("best-response:random"))
    config = SMALL.replace(opponent=str(rival))
    part = train(config, checkpoint=path, on_chunk=interrupt_after(2), on_interrupt="return")
    part = TrainingRun.load(path) if loaded else part
    whole = train(part)
    assert bits(whole) == bits(train(config))
    save_policy(rival, agent("minimax"))
    with pytest.raises(
        UsageError, match=r"^expected the opponents with which the run was started, but '.*' has changed"
    ):
        train(part)


def test_a_policy_of_its_own_is_given_again(tmp_path):
    mine, path = random_policy(1), tmp_path / "q.npz"
    config = SMALL.replace(opponent=mine.signature)
    train(config, mine, checkpoint=path, on_chunk=interrupt_after(2), on_interrupt="return")
    assert bits(train(TrainingRun.load(path), mine)) == bits(train(config, mine))
    with pytest.raises(AgentError, match="which was created in Python"):
        train(TrainingRun.load(path))


def test_a_file_does_not_say_other_opponents_than_the_run(tmp_path, agent):
    run, path = train(SMALL), tmp_path / "q.npz"
    for one in (run, start_training(SMALL)):
        with pytest.raises(UsageError, match=r"^expected the opponent 'random' of the configuration, got 'minimax'"):
            one.save(path, [agent("minimax")])
    assert not path.exists()
    run.save(path, [agent("random")])
    assert bits(TrainingRun.load(path)) == bits(run)
