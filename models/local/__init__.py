"""The embedded model: a small language model that needs no network, no key and no graphics card.

Its replies are masked by a grammar of one registered call or a plain answer, so they are always well-formed; whether
they are right is what the checks of the graph are for.
"""

from reinforced_agent.models.local.chat import LocalChatModel, load_local
from reinforced_agent.models.local.weights import ModelUnavailableError


__all__ = ["LocalChatModel", "ModelUnavailableError", "load_local"]
