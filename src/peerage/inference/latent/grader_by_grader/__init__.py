"""Updates of one grader after another, with the true grades summed out: reviews, efforts, habits, coarseness."""
