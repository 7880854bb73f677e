"""What the rooms do together: import, fit, update, publish, compare, keep results in folders, exchange with Canvas.

The command line and any other program call the same functions. They take and return values, and never print.
"""
