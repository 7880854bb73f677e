"""What is made of draws: totals, what a grader's reports tell, biases by assignment, and pictures."""
