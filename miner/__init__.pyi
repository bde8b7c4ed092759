# Made from the code by `python docs/make_reference.py`.
from miner.estimates.anchors import anchors as anchors
from miner.estimates.comparison import between as between
from miner.estimates.comparison import difference as difference
from miner.estimates.crosstab import crosstab as crosstab
from miner.estimates.estimate import estimate as estimate
from miner.estimates.hybrid import hybrid_estimate as hybrid_estimate
from miner.estimates.imputation import combine as combine
from miner.estimates.imputation import impute as impute
from miner.estimates.regress import regress as regress
from miner.estimates.rules import rules as rules
from miner.evaluation.dependence import partial_dependence as partial_dependence
from miner.evaluation.importances import permutation_importances as permutation_importances
from miner.evaluation.measures import evaluate as evaluate
from miner.figures.sample import Sample as Sample
from miner.figures.sample_design import SampleDesign as SampleDesign
from miner.learners.auto import AutoClassifier as AutoClassifier
from miner.learners.boosted import BoostedClassifier as BoostedClassifier
from miner.learners.distilled import DistilledTreeClassifier as DistilledTreeClassifier
from miner.learners.forest import ForestClassifier as ForestClassifier
from miner.learners.id3 import ID3Classifier as ID3Classifier
from miner.learners.logit import AdditiveClassifier as AdditiveClassifier
from miner.learners.logit import LogitClassifier as LogitClassifier
from miner.learners.random_trees import RandomTreesClassifier as RandomTreesClassifier
from miner.learners.scoring import Scorer as Scorer
from miner.planning.plan import plan as plan
from miner.planning.recode import recode as recode
from miner.reporting.page import report as report
from miner.responses.condition import event_of as event_of
from miner.responses.condition import parse_condition as parse_condition
from miner.responses.plain_rows import PlainRows as PlainRows
from miner.responses.responses import Responses as Responses
from miner.responses.responses import value_indices as value_indices
from miner.simulation.simulation import simulate as simulate
from miner.tables.numbers import mean as mean
from miner.tables.numbers import quantile as quantile
from miner.tables.numbers import total as total
from miner.tables.shares import shares as shares
from miner.tables.trends import trend as trend

WITHOUT_LIBRARIES: str

def modules() -> dict[str, str]: ...
