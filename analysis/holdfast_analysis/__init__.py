"""Figures and reports of Holdfast's experiments. Reads one results folder and nothing else."""
