"""What graders are paid: the mechanisms of the field, one file each, and Peerage's own marks, under one contract."""
