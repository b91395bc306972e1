"""LangGraph Studio's server as a real process."""
