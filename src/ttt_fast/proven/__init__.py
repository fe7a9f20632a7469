"""A wing: players of Connect 4 that are proven to win, their files, and the command that proves it.

It adds the agent and the kind of values `proven`, and the command `prove` (`wing`).  Nothing else names it, and the
package works without this folder.
"""
