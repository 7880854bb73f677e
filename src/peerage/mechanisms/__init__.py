"""What graders are paid: the mechanisms of the field, one file each, and Peerage's own marks, under one contract."""

import sys

from peerage.support.callable_packages import CallableRoom

sys.modules[__name__].__class__ = CallableRoom
