"""Policies and agents in files."""

from ttt_fast.agents.convert import AgentLike, as_policy
from ttt_fast.policies import files
from ttt_fast.policies.files import AnyPath


def save_policy(path: AnyPath, policy: AgentLike) -> None:
    """Write a policy to a file, whole or not at all.

    Parameters
    ----------
    path
        The suffix selects the format.  `.npz`: any policy, exactly.  `.txt`: the move in every state; `.dat`: the
        boards of the policy as a Q table by Langan.  The last two require a deterministic policy.
    policy
        A policy, or an agent that has a policy.

    Raises
    ------
    UsageError
        If the suffix is unknown, or the policy cannot be stored in this format.
    FileWriteError
        If the file cannot be written; an existing file is then unchanged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_policy(f"{folder}/best.dat", "best-response:buggy2")
    ...     files.load_policy(f"{folder}/best.dat")["XX.OO...."]
    {2: 1.0, 5: 0.0, 6: 0.0, 7: 0.0, 8: 0.0}
    """
    files.save_policy(path, as_policy(policy))
