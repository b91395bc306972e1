"""Tests of the strategies that build hostile proposals, and what they show of the reader."""
