"""The command `tandem reproduce`: makes the tables and figures of the papers again.

Each item is a plan file of the folder configs/studies. The package starts tandem's own commands,
imports no tandem, and draws what they leave.
"""
