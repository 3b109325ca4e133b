"""denox: differentiable rigid multibody dynamics on JAX, by the Decoupled Natural Orthogonal Complement."""

from .pose import Pose as Pose
from .inertia import Inertia as Inertia
from .joints import Fixed as Fixed
from .joints import Free as Free
from .joints import Joint as Joint
from .joints import Pair as Pair
from .joints import Prismatic as Prismatic
from .joints import Revolute as Revolute
from .joints import Spherical as Spherical
from .model import Model as Model
from .model import inertial_parameters as inertial_parameters
from .model import rigid as rigid
from .model import with_inertial_parameters as with_inertial_parameters
from .check import check as check
from .check import check_state as check_state
from .build import zoo as zoo
from .build.builder import Builder as Builder
from .build.dh import from_dh as from_dh
from .build.dh import from_mdh as from_mdh
from .state import coordinate_rates as coordinate_rates
from .state import difference as difference
from .state import integrate as integrate
from .state import neutral as neutral
from .state import random_state as random_state
from .kinematics import Kinematics as Kinematics
from .kinematics import jacobian as jacobian
from .kinematics import jacobian_bias as jacobian_bias
from .kinematics import kinematics as kinematics
from .loads import passive_forces as passive_forces
from .dynamics.inverse import bias_forces as bias_forces
from .dynamics.inverse import gravity_forces as gravity_forces
from .dynamics.inverse import inverse_dynamics as inverse_dynamics
from .dynamics.inertia_matrix import inertia_matrix as inertia_matrix
from .dynamics.factor import UDU as UDU
from .dynamics.factor import factor as factor
from .dynamics.forward import forward_dynamics as forward_dynamics
from .dynamics.energy import energy as energy
from .dynamics.energy import kinetic_energy as kinetic_energy
from .dynamics.energy import potential_energy as potential_energy
from .batch import batched as batched
from .curves import Cycloid as Cycloid
from .curves import cycloid as cycloid

__version__ = "0.1.0"
