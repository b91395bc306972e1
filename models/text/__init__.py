"""Models that only write text: tools are put into the prompt, and calls are taken out of the reply.

Nothing here judges a call. A reply that has the agreed form is handed on as the text of its calls, for the reader of
the graph to decode; any other reply is handed on as it is.
"""

from reinforced_agent.models.text.completion import CompletionChatModel
from reinforced_agent.models.text.model import TextToolModel


__all__ = ["CompletionChatModel", "TextToolModel"]
