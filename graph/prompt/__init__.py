"""What the model is shown: the chat, cut to fit, with untrusted content fenced."""
