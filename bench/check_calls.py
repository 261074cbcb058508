"""Calls of libraries for `checks.py`, besides those of `identity_calls.py`: models and algorithms.

They need dm-haiku, distrax, jaxopt, rlax, blackjax, jraph, brax, tensorflow-probability, gymnax, pgx and
evosax.
"""

# ruff: noqa: E501 - programs as users write them

from __future__ import annotations

from bench.identity_calls import Group

_OPTIMIZERS = (
    *("adabelief(1e-3)", "adadelta(1e-3)", "adafactor(1e-3)", "adagrad(1e-3)", "adam(1e-3)"),
    *(
        "adamax(1e-3)",
        "adamaxw(1e-3)",
        "adamw(1e-3)",
        "adan(1e-3)",
        "amsgrad(1e-3)",
        "fromage(1e-3)",
    ),
    *("lamb(1e-3)", "lars(1e-3)", "lion(1e-3)", "nadam(1e-3)", "nadamw(1e-3)", "noisy_sgd(1e-3)"),
    *("novograd(1e-3)", "optimistic_gradient_descent(1e-3)", "radam(1e-3)", "rmsprop(1e-3)"),
    *(
        "rprop(1e-3)",
        "sgd(1e-3, momentum=0.9, nesterov=True)",
        "sign_sgd(1e-3)",
        "sm3(1e-3)",
        "yogi(1e-3)",
    ),
    *(
        "contrib.prodigy()",
        "contrib.schedule_free_adamw(1e-3)",
        "contrib.muon(1e-3)",
        "contrib.sophia(1e-3)",
    ),
    *(
        "contrib.dadapt_adamw()",
        "contrib.mechanize(optax.sgd(0.1))",
        "contrib.momo()",
        "contrib.cocob()",
    ),
    "chain(optax.clip_by_global_norm(1.0), optax.adam(optax.warmup_cosine_decay_schedule(0.0, 1e-3, 10, 100)))",
    *("adam(1e-3, mu_dtype=jnp.bfloat16)", "polyak_sgd()", "MultiSteps(optax.adam(1e-3), 4)"),
    *(
        "apply_if_finite(optax.adam(1e-3), 3)",
        "lookahead(optax.sgd(0.1), 5, 0.5)",
        "adaptive_grad_clip(0.1)",
    ),
)
_LOSSES = (
    *("squared_error(f32[8], f32[8])", "huber_loss(f32[8], f32[8])", "log_cosh(f32[8], f32[8])"),
    *("sigmoid_binary_cross_entropy(f32[8], f32[8])", "hinge_loss(f32[8], f32[8])"),
    *(
        "perceptron_loss(f32[8], f32[8])",
        "sparsemax_loss(f32[8], f32[8])",
        "cosine_distance(f32[4, 8], f32[4, 8])",
    ),
    *("softmax_cross_entropy(f32[4, 8], f32[4, 8])", "kl_divergence(f32[4, 8], f32[4, 8])"),
    *(
        "softmax_cross_entropy_with_integer_labels(f32[4, 8], i32[4])",
        "convex_kl_divergence(f32[4, 8], f32[4, 8])",
    ),
    *(
        "losses.kl_divergence_with_log_targets(f32[4, 8], f32[4, 8])",
        "sigmoid_focal_loss(f32[8], f32[8])",
    ),
    *(
        "smooth_labels(f32[4, 8], 0.1)",
        "ctc_loss(f32[2, 20, 5], jnp.zeros((2, 20)), i32[2, 6], jnp.zeros((2, 6)))",
    ),
    *(
        "poly_loss_cross_entropy(f32[4, 8], f32[4, 8])",
        "losses.triplet_margin_loss(f32[4, 8], f32[4, 8], f32[4, 8])",
    ),
    *(
        "ntxent(f32[8, 4], i32[8])",
        "losses.ranking_softmax_loss(f32[4, 8], f32[4, 8])",
        "multiclass_hinge_loss(f32[4, 8], i32[4])",
    ),
    *(
        "losses.multiclass_logistic_loss(f32[4, 8], i32[4])",
        "losses.make_fenchel_young_loss(jax.nn.logsumexp)(f32[4, 8], f32[4, 8])",
    ),
    *(
        "projections.projection_simplex(f32[8])",
        "projections.projection_l1_ball(f32[8])",
        "projections.projection_l2_ball(f32[8])",
    ),
    *(
        "perturbations.make_perturbed_fun(lambda x: x, 4)(key(0), f32[4])",
        "assignment.hungarian_algorithm(f32[4, 4])",
    ),
)
_OPTAX = Group(
    "optax, every optimizer and loss",
    (
        *(f"update(optax.{name})(f32[8, 4], f32[4])" for name in _OPTIMIZERS),
        *(f"optax.{name}" for name in _LOSSES),
        *(
            f"grad(lambda *a: jnp.sum(optax.{name.partition('(')[0]}(*a)))({name.partition('(')[2]}"
            for name in _LOSSES
            if "f32" in name and name.count("(") == 1
        ),
    ),
    """
import optax
import optax.contrib

def update(optimizer):
    def run(w, b):
        params = {"w": w, "b": b}
        loss = lambda p: jnp.sum((jnp.ones((3, 8)) @ p["w"] + p["b"]) ** 2)
        state = optimizer.init(params)
        value, grads = jax.value_and_grad(loss)(params)
        try:
            updates, state = optimizer.update(grads, state, params)
        except (TypeError, ValueError):
            updates, state = optimizer.update(grads, state, params, value=value, loss=value, grad=grads, value_fn=loss, obj_fn=loss)
        return optax.apply_updates(params, updates), state
    return run
""",
)
_TFP_DISTRIBUTIONS = (
    *(
        "Bates(3, 0.0, 1.0)",
        "Beta(2.0, 3.0)",
        "BetaBinomial(5.0, 1.0, 2.0)",
        "BetaQuotient(1.0, 2.0, 3.0, 4.0)",
    ),
    *(
        "Cauchy(0.0, 1.0)",
        "Chi(3.0)",
        "Chi2(3.0)",
        "ContinuousBernoulli(logits=0.3)",
        "DoublesidedMaxwell(0.0, 1.0)",
    ),
    *(
        "ExpGamma(2.0, 1.0)",
        "ExpInverseGamma(2.0, 1.0)",
        "Exponential(1.0)",
        "ExponentiallyModifiedGaussian(0.0, 1.0, 2.0)",
    ),
    *(
        "Gamma(2.0, 1.0)",
        "GammaGamma(2.0, 2.0, 1.0)",
        "GeneralizedExtremeValue(0.0, 1.0, 0.1)",
        "GeneralizedNormal(0.0, 1.0, 2.0)",
    ),
    *(
        "GeneralizedPareto(0.0, 1.0, 0.2)",
        "Gumbel(0.0, 1.0)",
        "HalfCauchy(0.0, 1.0)",
        "HalfNormal(1.0)",
        "HalfStudentT(3.0, 0.0, 1.0)",
    ),
    *(
        "Horseshoe(1.0)",
        "InverseGamma(2.0, 1.0)",
        "InverseGaussian(1.0, 2.0)",
        "JohnsonSU(0.1, 1.0, 0.0, 1.0)",
        "Kumaraswamy(2.0, 3.0)",
    ),
    *(
        "LambertWNormal(0.0, 1.0, 0.1)",
        "Laplace(0.0, 1.0)",
        "LogLogistic(0.0, 1.0)",
        "LogNormal(0.0, 1.0)",
        "Logistic(0.0, 1.0)",
    ),
    *(
        "LogitNormal(0.0, 1.0)",
        "Moyal(0.0, 1.0)",
        "NegativeBinomial(3.0, logits=0.2)",
        "NoncentralChi2(2.0, 1.0)",
        "Normal(0.0, 1.0)",
    ),
    *(
        "NormalInverseGaussian(0.0, 1.0, 2.0, 1.0)",
        "Pareto(2.0, 1.0)",
        "PERT(0.0, 0.5, 1.0)",
        "Poisson(2.0)",
        "PowerSpherical(jnp.array([1.0, 0.0, 0.0]), 2.0)",
    ),
    *(
        "ProbitBernoulli(0.3)",
        "RelaxedBernoulli(0.5, logits=0.3)",
        "SigmoidBeta(2.0, 3.0)",
        "SinhArcsinh(0.0, 1.0)",
        "Skellam(1.0, 2.0)",
    ),
    *(
        "StudentT(3.0, 0.0, 1.0)",
        "Triangular(0.0, 1.0, 0.5)",
        "TruncatedCauchy(0.0, 1.0, -2.0, 2.0)",
        "TruncatedNormal(0.0, 1.0, -2.0, 2.0)",
    ),
    *(
        "TwoPieceNormal(0.0, 1.0, 0.5)",
        "TwoPieceStudentT(3.0, 0.0, 1.0, 0.5)",
        "Uniform(0.0, 1.0)",
        "VonMises(0.0, 2.0)",
        "Weibull(2.0, 1.0)",
        "Zipf(2.0)",
    ),
    *("Bernoulli(logits=0.3)", "Geometric(logits=0.3)", "Plackett"),
)
_TFP = Group(
    "tensorflow_probability.substrates.jax",
    (
        *(
            f"log_prob(tfd.{name})(f32[4])"
            for name in _TFP_DISTRIBUTIONS
            if "Spherical" not in name
        ),
        *(
            f"grad_log_prob(tfd.{name})(f32[4])"
            for name in _TFP_DISTRIBUTIONS
            if "Spherical" not in name
        ),
        *(f"sample(tfd.{name})(key(0))" for name in _TFP_DISTRIBUTIONS),
        *(f"cdf(tfd.{name})(f32[4])" for name in _TFP_DISTRIBUTIONS if "Spherical" not in name),
        *(f"entropy(tfd.{name})(f32[()])" for name in _TFP_DISTRIBUTIONS),
        *(
            f"both(tfb.{name})(f32[4])"
            for name in (
                *(
                    "Exp()",
                    "Sigmoid()",
                    "Softplus()",
                    "Tanh()",
                    "SoftClip(-1.0, 1.0)",
                    "Cumsum()",
                    "SinhArcsinh(0.1, 1.2)",
                    "Softsign()",
                ),
                *(
                    "NormalCDF()",
                    "WeibullCDF(1.0, 2.0)",
                    "GumbelCDF(0.0, 1.0)",
                    "KumaraswamyCDF(2.0, 3.0)",
                    "MoyalCDF(0.0, 1.0)",
                    "Expm1()",
                ),
                *(
                    "FrechetCDF(0.0, 1.0, 2.0)",
                    "GompertzCDF(1.0, 1.0)",
                    "LambertWTail(0.0, 1.0, 0.2)",
                    "Power(2.0)",
                    "PowerTransform(0.3)",
                ),
                *(
                    "RayleighCDF(1.0)",
                    "Log()",
                    "Log1p()",
                    "Reciprocal()",
                    "Square()",
                    "SoftmaxCentered()",
                    "IteratedSigmoidCentered()",
                ),
                *(
                    "CorrelationCholesky()",
                    "FillScaleTriL()",
                    "Ordered()",
                    "Ascending()",
                    "UnitVector()",
                    "GeneralizedExtremeValueCDF(0.0, 1.0, 0.1)",
                ),
            )
        ),
        *(
            f"kernel(tfk.{name})(f32[5, 2], f32[6, 2])"
            for name in (
                *(
                    "ExponentiatedQuadratic(1.0, 2.0)",
                    "MaternOneHalf(1.0, 2.0)",
                    "MaternThreeHalves(1.0, 2.0)",
                    "MaternFiveHalves(1.0, 2.0)",
                ),
                *(
                    "RationalQuadratic(1.0, 2.0)",
                    "Linear()",
                    "Polynomial()",
                    "ExpSinSquared(1.0, 2.0)",
                    "GammaExponential(1.0, 2.0)",
                    "Parabolic()",
                ),
            )
        ),
        "tfp.math.log1mexp(f32[4])",
        "tfp.math.log_cosh(f32[4])",
        "tfp.math.softplus_inverse(f32[4])",
        "tfp.math.log_add_exp(f32[4], f32[4])",
        "tfp.math.log_sub_exp(f32[4], f32[4])",
        "tfp.math.lambertw(f32[4])",
        "grad(lambda x: tfp.math.lambertw(x).sum())(f32[4])",
        "tfp.math.bessel_ive(1.0, f32[4])",
        "tfp.math.erfcinv(f32[4])",
        "tfp.math.owens_t(f32[4], f32[4])",
        "tfp.math.igammainv(f32[4], f32[4])",
        "tfp.math.betainc(f32[4], f32[4], f32[4])",
        "tfp.math.log_cumsum_exp(f32[8])",
        "tfp.math.smootherstep(f32[4])",
        "tfp.math.interp_regular_1d_grid(f32[4], 0.0, 1.0, f32[8])",
        "tfp.math.pivoted_cholesky(jnp.eye(6) + 0.1, 3)",
        "tfp.math.find_root_chandrupatla(lambda x: x**3 - f32[()])",
        "tfp.stats.correlation(f32[20, 3])",
        "tfp.stats.percentile(f32[20], 30.0)",
        "tfp.stats.auto_correlation(f32[20])",
        "chain(f32[2], key(0))",
        "nuts(f32[2], key(0))",
        "hmm(f32[8])",
        "gp(f32[5, 1], f32[5])",
        "kalman(f32[6, 1])",
    ),
    """
import jax.interpreters.xla
import collections
jax.interpreters.xla.pytype_aval_mappings = collections.defaultdict(lambda: jax.typeof)  # releases before 0.8 have it
import tensorflow_probability.substrates.jax as tfp
tfd, tfb, tfk = tfp.distributions, tfp.bijectors, tfp.math.psd_kernels

def log_prob(d): return lambda x: d.log_prob(jax.nn.sigmoid(x))
def grad_log_prob(d): return jax.grad(lambda x: d.log_prob(jax.nn.sigmoid(x)).sum())
def cdf(d): return lambda x: d.cdf(jax.nn.sigmoid(x))
def sample(d): return lambda key: d.sample(3, seed=key)
def entropy(d): return lambda x: d.entropy() + x
def both(b): return lambda x: (b.forward(x), b.forward_log_det_jacobian(x, 1))
def kernel(k): return lambda x, y: k.matrix(x, y)
def target(x): return -0.5 * jnp.sum(x**2)
def chain(x, key): return tfp.mcmc.sample_chain(5, x, kernel=tfp.mcmc.HamiltonianMonteCarlo(target, 0.1, 3), trace_fn=None, seed=key)
def nuts(x, key): return tfp.mcmc.sample_chain(5, x, kernel=tfp.mcmc.NoUTurnSampler(target, 0.1), trace_fn=None, seed=key)
def hmm(x): return tfd.HiddenMarkovModel(tfd.Categorical(logits=jnp.zeros(3)), tfd.Categorical(logits=jnp.eye(3)), tfd.Normal(jnp.arange(3.0), 1.0), 8).log_prob(x)
def gp(x, y): return tfd.GaussianProcess(tfk.MaternThreeHalves(), x).log_prob(y)
def kalman(x): return tfp.sts.LocalLinearTrend().make_state_space_model(6, [0.1, 0.1]).log_prob(x)
""",
)
_DISTRAX = Group(
    "distrax and rlax",
    (
        *(
            f"log_prob(distrax.{name})({x})"
            for name, x in (
                *(
                    ("Beta(2.0, 3.0)", "f32[4]"),
                    ("Bernoulli(logits=0.3)", "f32[4]"),
                    ("Categorical(logits=jnp.arange(4.0))", "i32[4]"),
                ),
                *(
                    ("Gamma(2.0, 1.0)", "f32[4]"),
                    ("Gumbel(0.0, 1.0)", "f32[4]"),
                    ("Laplace(0.0, 1.0)", "f32[4]"),
                    ("Logistic(0.0, 1.0)", "f32[4]"),
                ),
                *(
                    ("LogStddevNormal(0.0, 0.1)", "f32[4]"),
                    ("Normal(0.0, 1.0)", "f32[4]"),
                    ("Uniform(0.0, 1.0)", "f32[4]"),
                    ("VonMises(0.0, 1.0)", "f32[4]"),
                ),
                *(
                    ("MultivariateNormalDiag(jnp.zeros(4), jnp.ones(4))", "f32[4]"),
                    ("Dirichlet(jnp.ones(4))", "jnp.ones(4) / 4"),
                ),
                *(
                    ("ClippedNormal(0.0, 1.0, -1.0, 1.0)", "f32[4]"),
                    ("ClippedLogistic(0.0, 1.0, -1.0, 1.0)", "f32[4]"),
                    ("Softmax(jnp.arange(4.0))", "i32[4]"),
                ),
                *(
                    ("EpsilonGreedy(jnp.arange(4.0), 0.1)", "i32[4]"),
                    ("Greedy(jnp.arange(4.0))", "i32[4]"),
                    ("OneHotCategorical(logits=jnp.arange(4.0))", "f32[4]"),
                ),
                *(
                    ("Transformed(distrax.Normal(0.0, 1.0), distrax.Tanh())", "jnp.tanh(f32[4])"),
                    ("Transformed(distrax.Normal(0.0, 1.0), distrax.Sigmoid())", "jnp.ones(4) / 3"),
                ),
                (
                    "MixtureSameFamily(distrax.Categorical(logits=jnp.zeros(3)), distrax.Normal(jnp.arange(3.0), jnp.ones(3)))",
                    "f32[4]",
                ),
            )
        ),
        *(
            f"sample(distrax.{name})(key(0))"
            for name in (
                "Beta(2.0, 3.0)",
                "Gumbel(0.0, 1.0)",
                "Laplace(0.0, 1.0)",
                "Logistic(0.0, 1.0)",
                "VonMises(0.0, 1.0)",
                "Categorical(logits=jnp.arange(4.0))",
            )
        ),
        *(
            f"both(distrax.{name})(f32[4])"
            for name in (
                "Tanh()",
                "Sigmoid()",
                "ScalarAffine(1.0, 2.0)",
                "RationalQuadraticSpline(jnp.ones(25), 0.0, 1.0)",
                "GumbelCDF()",
            )
        ),
        "distrax.Normal(0.0, 1.0).kl_divergence(distrax.Normal(f32[()], 1.0))",
        "hmm(f32[8])",
        *(
            "rlax.huber_loss(f32[8])",
            "rlax.signed_hyperbolic(f32[8])",
            "rlax.signed_parabolic(f32[8])",
            "rlax.signed_logp1(f32[8])",
            "rlax.signed_expm1(f32[8])",
        ),
        *(
            "rlax.power(f32[8], 0.5)",
            "rlax.transform_to_2hot(f32[()], -1.0, 1.0, 11)",
            "rlax.softmax().sample(key(0), f32[4])",
            "rlax.softmax().entropy(f32[4])",
        ),
        *(
            "rlax.softmax().kl(f32[4], f32[4])",
            "rlax.gaussian_diagonal(0.3).logprob(f32[4], f32[4])",
            "rlax.squashed_gaussian().logprob(f32[4], f32[4], f32[4])",
        ),
        *(
            "rlax.vtrace(f32[5], f32[5], f32[5], f32[5], f32[5])",
            "rlax.lambda_returns(f32[5], f32[5], f32[5], 0.9)",
            "rlax.n_step_bootstrapped_returns(f32[5], f32[5], f32[5], 3)",
        ),
        *(
            "rlax.truncated_generalized_advantage_estimation(f32[5], f32[5], 0.9, f32[6])",
            "rlax.policy_gradient_loss(f32[5, 3], i32[5], f32[5], f32[5])",
        ),
        *(
            "rlax.entropy_loss(f32[5, 3], f32[5])",
            "rlax.dpg_loss(f32[3], lambda a: a.sum())",
            "rlax.retrace(f32[5, 3], f32[5, 3], i32[5], i32[5], f32[5], f32[5], f32[5, 3], f32[5], 0.9)",
        ),
        *(
            "rlax.categorical_l2_project(f32[5], f32[5], jnp.arange(5.0))",
            "rlax.quantile_q_learning(f32[4, 3], jnp.ones(4) / 4, i32[()], f32[()], f32[()], f32[4, 3], f32[4, 3], 1.0)",
        ),
        *(
            "rlax.clipped_surrogate_pg_loss(f32[5], f32[5], 0.2)",
            "rlax.qpg_loss(f32[5, 3], f32[5, 3])",
            "rlax.rm_loss(f32[5, 3], f32[5, 3])",
        ),
        *(
            "rlax.l2_loss(f32[5])",
            "rlax.pixel_control_rewards(f32[3, 8, 8, 1], 4)",
            "rlax.likelihood(f32[5])",
        ),
    ),
    """
import jax.interpreters.xla
import collections
jax.interpreters.xla.pytype_aval_mappings = collections.defaultdict(lambda: jax.typeof)  # releases before 0.8 have it
import distrax
import rlax

def log_prob(d): return lambda x: d.log_prob(x)
def sample(d): return lambda key: d.sample(seed=key, sample_shape=(3,))
def both(b): return lambda x: b.forward_and_log_det(x)
def hmm(x): return distrax.HMM(distrax.Categorical(logits=jnp.zeros(3)), distrax.Categorical(logits=jnp.eye(3)), distrax.Normal(jnp.arange(3.0), jnp.ones(3))).forward(x)
""",
)
_HAIKU = Group(
    "haiku, models",
    tuple(
        f"run(lambda x: {model})({x})"
        for model, x in (
            ("hk.nets.MLP([8, 8])(x)", "f32[4, 8]"),
            ("hk.nets.ResNet18(10)(x, is_training=True)", "f32[1, 32, 32, 3]"),
            ("hk.nets.ResNet50(10, resnet_v2=True)(x, is_training=True)", "f32[1, 32, 32, 3]"),
            ("hk.nets.MobileNetV1(10)(x, is_training=True)", "f32[1, 32, 32, 3]"),
            ("hk.MultiHeadAttention(2, 4, 1.0)(x, x, x)", "f32[4, 8]"),
            ("hk.LayerNorm(-1, True, True)(x)", "f32[4, 8]"),
            ("hk.GroupNorm(2)(x)", "f32[2, 4, 4, 8]"),
            ("hk.InstanceNorm(True, True)(x)", "f32[2, 4, 4, 8]"),
            ("hk.RMSNorm(-1)(x)", "f32[4, 8]"),
            ("hk.dynamic_unroll(hk.LSTM(8), x, hk.LSTM(8).initial_state(2))[0]", "f32[20, 2, 4]"),
            ("hk.static_unroll(hk.LSTM(8), x, hk.LSTM(8).initial_state(2))[0]", "f32[20, 2, 4]"),
            ("hk.static_unroll(hk.GRU(8), x, hk.GRU(8).initial_state(2))[0]", "f32[12, 2, 4]"),
            (
                "hk.static_unroll(hk.VanillaRNN(8), x, hk.VanillaRNN(8).initial_state(2))[0]",
                "f32[30, 2, 4]",
            ),
            (
                "hk.Conv2DLSTM((4, 4), 3, (3, 3))(x, hk.Conv2DLSTM((4, 4), 3, (3, 3)).initial_state(2))[0]",
                "f32[2, 4, 4, 3]",
            ),
            ("hk.nets.VectorQuantizer(4, 8, 0.25)(x, True)['quantize']", "f32[6, 4]"),
            ("hk.nets.VectorQuantizerEMA(4, 8, 0.25, 0.9)(x, True)['quantize']", "f32[6, 4]"),
            ("hk.SpectralNorm()(x)", "f32[4, 8]"),
            ("hk.SeparableDepthwiseConv2D(2, 3)(x)", "f32[1, 8, 8, 3]"),
            ("hk.Conv2DTranspose(3, 3)(x)", "f32[1, 8, 8, 3]"),
            ("hk.Embed(10, 4)(x.astype(jnp.int32))", "f32[5]"),
            ("hk.max_pool(x, 2, 2, 'SAME') + hk.avg_pool(x, 2, 2, 'SAME')", "f32[1, 8, 8, 3]"),
            ("hk.dropout(hk.next_rng_key(), 0.1, x)", "f32[4, 8]"),
            ("hk.Bias()(hk.Linear(4)(x))", "f32[4, 8]"),
            ("hk.Bilinear(4)(x, x)", "f32[4, 8]"),
        )
    ),
    """
import haiku as hk

def run(f):
    transformed = hk.transform_with_state(f)
    def loss(x):
        params, state = transformed.init(jax.random.key(0), x)
        out, state = transformed.apply(params, state, jax.random.key(1), x)
        return jnp.sum(out), state
    return lambda x: jax.grad(loss, has_aux=True)(x)
""",
)
_JAXOPT = Group(
    "jaxopt, blackjax, jraph",
    (
        *(
            f"solve(jaxopt.{name})(f32[3])"
            for name in (
                *(
                    "GradientDescent(fun, maxiter=20)",
                    "LBFGS(fun, maxiter=20)",
                    "BFGS(fun, maxiter=20)",
                    "NonlinearCG(fun, maxiter=20)",
                    "ArmijoSGD(fun, maxiter=20)",
                ),
                *(
                    "PolyakSGD(fun, maxiter=20)",
                    "OptaxSolver(fun, optax.adam(0.1), maxiter=20)",
                    "LevenbergMarquardt(residual, maxiter=20)",
                    "GaussNewton(residual, maxiter=20)",
                ),
                *(
                    "ProximalGradient(fun, jaxopt.prox.prox_lasso, maxiter=20)",
                    "ProjectedGradient(fun, jaxopt.projection.projection_simplex, maxiter=20)",
                ),
                *(
                    "LBFGS(fun, maxiter=20, unroll=True, implicit_diff=False)",
                    "AndersonAcceleration(lambda x: 0.5 * x, maxiter=20)",
                ),
                *(
                    "FixedPointIteration(lambda x: jnp.cos(x), maxiter=20)",
                    "Broyden(residual, maxiter=20)",
                    "GradientDescent(fun, maxiter=20, jit=False, unroll=True, implicit_diff=False)",
                ),
                *("NonlinearCG(fun, maxiter=30, unroll=True, implicit_diff=False)",),
            )
        ),
        *(
            f"jaxopt.projection.{name}"
            for name in (
                "projection_simplex(f32[5])",
                "projection_l1_sphere(f32[5])",
                "projection_l2_ball(f32[5])",
                "projection_box(f32[5], (0.0, 1.0))",
                "projection_hyperplane(f32[5], (f32[5], 1.0))",
                "projection_halfspace(f32[5], (f32[5], 1.0))",
                "projection_transport(f32[4, 4], (jnp.ones(4) / 4, jnp.ones(4) / 4))",
                "kl_projection_transport(f32[4, 4], (jnp.ones(4) / 4, jnp.ones(4) / 4))",
                "projection_sparse_simplex(f32[5], 2)",
                "projection_birkhoff(f32[4, 4])",
                "projection_box_section(f32[5], (-jnp.ones(5), jnp.ones(5), jnp.ones(5), 1.0))",
            )
        ),
        *(
            f"jaxopt.loss.{name}"
            for name in (
                "binary_logistic_loss(i32[()], f32[()])",
                "multiclass_logistic_loss(i32[()], f32[5])",
                "huber_loss(f32[()], f32[()])",
                "binary_sparsemax_loss(i32[()], f32[()])",
                "multiclass_sparsemax_loss(i32[()], f32[5])",
                "binary_hinge_loss(i32[()], f32[()])",
            )
        ),
        *(
            f"jaxopt.prox.{name}"
            for name in (
                "prox_lasso(f32[5])",
                "prox_elastic_net(f32[5])",
                "prox_group_lasso(f32[5])",
                "prox_ridge(f32[5])",
                "prox_non_negative_ridge(f32[5])",
            )
        ),
        "jaxopt.projection.projection_non_negative(f32[5])",
        *(
            f"sample({name})(f32[2], key(0))"
            for name in (
                "blackjax.nuts(logp, 0.1, jnp.ones(2))",
                "blackjax.hmc(logp, 0.1, jnp.ones(2), 5)",
                "blackjax.mala(logp, 0.1)",
                "blackjax.rmh(logp, blackjax.mcmc.random_walk.normal(jnp.ones(2)))",
                "blackjax.dynamic_hmc(logp, 0.1, jnp.ones(2))",
                "blackjax.mclmc(logp, 1.0, 0.1)",
                "blackjax.orbital_hmc(logp, 0.1, jnp.ones(2), 5)",
            )
        ),
        "graph_net(f32[5, 3], f32[6, 2])",
        "gat(f32[5, 3])",
        "gcn(f32[5, 3])",
        "jraph.segment_softmax(f32[6], jnp.array([0, 0, 1, 1, 2, 2]), 3)",
        "jraph.segment_normalize(f32[6], jnp.array([0, 0, 1, 1, 2, 2]), 3)",
        "jraph.segment_variance(f32[6], jnp.array([0, 0, 1, 1, 2, 2]), 3)",
    ),
    """
import blackjax
import jaxopt
import jraph
import optax

def fun(x): return jnp.sum((x - 1.0) ** 2) + jnp.sum(jnp.cos(x))
def residual(x): return x**3 - 1.0
def solve(solver): return lambda x: solver.run(x).params
def logp(x): return -0.5 * jnp.sum(x**2)

def sample(algorithm):
    def run(x, key):
        state = algorithm.init(x, key) if "mclmc" in str(algorithm.init) or "dynamic" in str(algorithm.init) else algorithm.init(x)
        return algorithm.step(key, state)
    return run

def graph(nodes, edges=None):
    return jraph.GraphsTuple(nodes, edges, jnp.array([0, 1, 2, 3, 4, 0]), jnp.array([1, 2, 3, 4, 0, 2]), jnp.array([5]), jnp.array([6]), None)

def graph_net(nodes, edges):
    net = jraph.GraphNetwork(lambda e, s, r, g: jnp.tanh(e), lambda n, s, r, g: n + s.sum() + r.sum(), None)
    return net(graph(nodes, edges)).nodes

def gat(nodes):
    return jraph.GAT(lambda x: x * 2.0, lambda q, k, e: jnp.sum(q * k, -1, keepdims=True), lambda n: jnp.tanh(n))(graph(nodes)).nodes

def gcn(nodes):
    return jraph.GraphConvolution(lambda x: x * 2.0, add_self_edges=True)(graph(nodes)).nodes
""",
)
_BRAX = Group(
    "brax",
    (
        *(
            f"step(envs.get_environment('{name}', backend='{backend}'))(key(0))"
            for name in ("ant", "halfcheetah", "hopper", "reacher", "inverted_pendulum")
            for backend in ("spring", "positional", "generalized")
        ),
        "ppo_loss(key(0))",
        "math.quat_mul(f32[4], f32[4])",
        "grad(lambda q: math.quat_to_euler(q).sum())(f32[4])",
        "grad(lambda x: math.safe_norm(x).sum())(f32[3])",
        "math.rotate(f32[3], f32[4])",
        "math.quat_to_axis_angle(f32[4])",
        "math.from_to(f32[3], f32[3])",
        "math.signed_angle(f32[3], f32[3], f32[3])",
        "math.solve_pgs(f32[3, 3], f32[3], 10)",
        "distribution.NormalTanhDistribution(3).log_prob(f32[5, 6], f32[5, 3])",
        "distribution.NormalTanhDistribution(3).entropy(f32[5, 6], key(0))",
        "statistics.update(statistics.init_state(jnp.zeros(3)), f32[5, 3])",
        "losses.compute_gae(f32[5, 2], f32[5, 2], f32[5, 2], f32[5, 2], f32[2])",
    ),
    """
from brax import envs, math
from brax.training import distribution
from brax.training.acme import running_statistics as statistics
from brax.training.agents.ppo import losses, networks

def step(env):
    def run(key):
        state = env.reset(key)
        return env.step(state, jnp.zeros(env.action_size)).obs
    return run

def ppo_loss(key):
    net = networks.make_ppo_networks(4, 2)
    params = losses.PPONetworkParams(net.policy_network.init(key), net.value_network.init(key))
    return net.policy_network.apply(None, params.policy, jnp.ones((3, 4)))
""",
)
_FLAX = Group(
    "flax and equinox, models",
    (
        *(
            f"run(nn.{layer})({x})"
            for layer, x in (
                *(
                    ("Dense(4)", "f32[4, 8]"),
                    ("LayerNorm()", "f32[4, 8]"),
                    ("GroupNorm(2)", "f32[2, 4, 4, 8]"),
                    ("RMSNorm()", "f32[4, 8]"),
                    ("InstanceNorm()", "f32[2, 4, 4, 8]"),
                ),
                *(
                    ("WeightNorm(nn.Dense(4))", "f32[4, 8]"),
                    ("MultiHeadDotProductAttention(2)", "f32[2, 4, 8]"),
                    ("Conv(4, (3, 3))", "f32[1, 8, 8, 3]"),
                    ("ConvTranspose(4, (3, 3))", "f32[1, 8, 8, 3]"),
                ),
                *(
                    ("RNN(nn.LSTMCell(8))", "f32[2, 20, 4]"),
                    ("RNN(nn.GRUCell(8))", "f32[2, 20, 4]"),
                    ("RNN(nn.OptimizedLSTMCell(8))", "f32[2, 20, 4]"),
                    ("RNN(nn.MGUCell(8))", "f32[2, 20, 4]"),
                    ("RNN(nn.SimpleCell(8))", "f32[2, 20, 4]"),
                ),
                *(
                    ("Dense(4, dtype=jnp.bfloat16)", "f32[4, 8]"),
                    ("LayerNorm(dtype=jnp.bfloat16)", "f32[4, 8]"),
                    ("MultiHeadDotProductAttention(2, dtype=jnp.bfloat16)", "f32[2, 4, 8]"),
                    ("Conv(4, (3, 3), dtype=jnp.bfloat16)", "f32[1, 8, 8, 3]"),
                ),
                *(
                    ("DenseGeneral((2, 3))", "f32[4, 8]"),
                    ("Einsum((8, 4), 'ij,jk->ik')", "f32[4, 8]"),
                    ("LayerNorm(use_fast_variance=False)", "f32[4, 8]"),
                    ("SelfAttention(2)", "f32[2, 4, 8]"),
                ),
                *(
                    (
                        "Sequential([nn.Dense(8), nn.relu, nn.Dense(4), nn.LayerNorm()])",
                        "f32[4, 8]",
                    ),
                    ("PReLU()", "f32[4, 8]"),
                    (
                        "Dense(2, use_bias=False)",
                        "f32[4, 8]",
                    ),
                ),
            )
        ),
        *(
            f"nn.{name}(f32[8])"
            for name in (
                "celu",
                "elu",
                "gelu",
                "glu",
                "hard_sigmoid",
                "hard_silu",
                "hard_swish",
                "hard_tanh",
                "leaky_relu",
                "log_sigmoid",
                "log_softmax",
                "normalize",
                "relu6",
                "selu",
                "sigmoid",
                "silu",
                "soft_sign",
                "softmax",
                "softplus",
                "swish",
                "tanh",
                "standardize",
            )
            if name != "standardize"
        ),
        *(
            f"grad(lambda x: jnp.sum(nn.{name}(x)))(f32[8])"
            for name in (
                "celu",
                "elu",
                "gelu",
                "leaky_relu",
                "log_sigmoid",
                "log_softmax",
                "selu",
                "silu",
                "softmax",
                "softplus",
            )
        ),
        *(
            f"module(eqx.nn.{layer})({x})"
            for layer, x in (
                *(
                    ("MLP(4, 2, 8, 3, key=KEY)", "f32[4]"),
                    ("Linear(4, 2, key=KEY)", "f32[4]"),
                    ("LayerNorm(8)", "f32[8]"),
                    ("GroupNorm(2, 4)", "f32[4, 8]"),
                    ("RMSNorm(8)", "f32[8]"),
                ),
                *(
                    ("Conv2d(3, 4, 3, key=KEY)", "f32[3, 8, 8]"),
                    ("ConvTranspose2d(3, 4, 3, key=KEY)", "f32[3, 8, 8]"),
                    ("MaxPool2d(2, 2)", "f32[3, 8, 8]"),
                    ("AvgPool2d(2, 2)", "f32[3, 8, 8]"),
                ),
                *(
                    ("AdaptiveAvgPool2d(4)", "f32[3, 8, 8]"),
                    ("RotaryPositionalEmbedding(8)", "f32[4, 8]"),
                    (
                        "PReLU()",
                        "f32[4]",
                    ),
                ),
            )
        ),
        "attention(f32[4, 8])",
        "gru(f32[20, 4])",
        "lstm(f32[20, 4])",
    ),
    """
import equinox as eqx
import flax.linen as nn
KEY = jax.random.key(0)

def run(layer):
    def loss(x):
        params = layer.init(jax.random.key(0), x)
        return jnp.sum(layer.apply(params, x))
    return jax.value_and_grad(loss)

def module(m): return lambda x: m(x)
def attention(x): return eqx.nn.MultiheadAttention(2, 8, key=KEY)(x, x, x)
def gru(xs):
    cell = eqx.nn.GRUCell(4, 8, key=KEY)
    return lax.scan(lambda h, x: (cell(x, h), None), jnp.zeros(8), xs)[0]
def lstm(xs):
    cell = eqx.nn.LSTMCell(4, 8, key=KEY)
    state = (jnp.zeros(8), jnp.zeros(8))
    for x in xs:
        state = cell(x, state)
    return state
""",
)
_NUMPYRO_DISTRIBUTIONS = (
    *(
        "AsymmetricLaplace(0.0, 1.0, 2.0)",
        "Beta(2.0, 3.0)",
        "BetaProportion(0.5, 2.0)",
        "Cauchy(0.0, 1.0)",
        "Chi2(3.0)",
        "Exponential(1.0)",
        "Gamma(2.0, 1.0)",
        "Gumbel(0.0, 1.0)",
    ),
    *(
        "HalfCauchy(1.0)",
        "HalfNormal(1.0)",
        "InverseGamma(2.0, 1.0)",
        "Kumaraswamy(2.0, 3.0)",
        "Laplace(0.0, 1.0)",
        "LogNormal(0.0, 1.0)",
        "Logistic(0.0, 1.0)",
        "LogUniform(0.1, 2.0)",
    ),
    *(
        "Normal(0.0, 1.0)",
        "Pareto(0.1, 2.0)",
        "RelaxedBernoulli(jnp.array(0.5), logits=jnp.array(0.3))",
        "SoftLaplace(0.0, 1.0)",
        "StudentT(3.0, 0.0, 1.0)",
        "Uniform(0.0, 1.0)",
        "Weibull(1.0, 2.0)",
        "TruncatedNormal(0.0, 1.0, low=-1.0, high=2.0)",
    ),
    *(
        "TruncatedCauchy(0.0, 1.0, low=-1.0, high=2.0)",
        "TwoSidedTruncatedDistribution(dist.Normal(0.0, 1.0), -1.0, 2.0)",
        "VonMises(0.0, 1.0)",
        "ZeroInflatedPoisson(0.3, 2.0)",
        "Poisson(2.0)",
        "NegativeBinomial2(2.0, 3.0)",
    ),
    *(
        "GammaPoisson(2.0, 1.0)",
        "BetaBinomial(2.0, 3.0, 5)",
        "Binomial(5, logits=0.3)",
        "BernoulliLogits(0.3)",
        "GeometricLogits(0.3)",
        "CategoricalLogits(jnp.arange(4.0))",
        "DiscreteUniform(0, 5)",
        "OrderedLogistic(0.3, jnp.arange(3.0))",
    ),
    *(
        "Dirichlet(jnp.ones(4))",
        "MultivariateNormal(jnp.zeros(4), jnp.eye(4))",
        "LKJ(3, 1.0)",
        "LKJCholesky(3, 1.0)",
        "LowRankMultivariateNormal(jnp.zeros(4), jnp.ones((4, 1)), jnp.ones(4))",
        "MultivariateStudentT(3.0, jnp.zeros(4), jnp.eye(4))",
        "GaussianRandomWalk(1.0, 4)",
        "CAR(0.0, 0.5, 1.0, jnp.ones((4, 4)) - jnp.eye(4))",
    ),
    *(
        "Levy(0.0, 1.0)",
        "Gompertz(1.0, 1.0)",
        "SineBivariateVonMises(0.0, 0.0, 1.0, 1.0, 0.3)",
        "DirichletMultinomial(jnp.ones(4), 5)",
        "MultinomialLogits(jnp.arange(4.0), 5)",
        "Delta(0.5)",
        "ImproperUniform(dist.constraints.real, (), ())",
        "Wishart(5.0, jnp.eye(3))",
    ),
)
_NUMPYRO = Group(
    "numpyro, distributions",
    (
        *(f"log_prob(dist.{name})(key(0))" for name in _NUMPYRO_DISTRIBUTIONS),
        *(f"grad_log_prob(dist.{name})(key(0))" for name in _NUMPYRO_DISTRIBUTIONS[:28]),
        *(f"cdf(dist.{name})(f32[4])" for name in _NUMPYRO_DISTRIBUTIONS[:28]),
        *(
            f"both(transforms.{name})({x})"
            for name, x in (
                *(
                    ("ExpTransform()", "f32[4]"),
                    ("SigmoidTransform()", "f32[4]"),
                    ("SoftplusTransform()", "f32[4]"),
                    ("StickBreakingTransform()", "f32[4]"),
                    ("CorrCholeskyTransform()", "f32[3]"),
                ),
                *(
                    ("OrderedTransform()", "f32[4]"),
                    ("LowerCholeskyTransform()", "f32[6]"),
                    ("ScaledUnitLowerCholeskyTransform()", "f32[6]"),
                    ("PowerTransform(2.0)", "jnp.ones(4)"),
                    ("L1BallTransform()", "f32[4]"),
                ),
                *(
                    ("SoftplusLowerCholeskyTransform()", "f32[6]"),
                    ("SimplexToOrderedTransform()", "jnp.ones(4) / 4"),
                    ("ZeroSumTransform(1)", "f32[4]"),
                    ("CholeskyTransform()", "jnp.eye(3)"),
                    ("RecursiveLinearTransform(jnp.eye(2))", "f32[5, 2]"),
                ),
            )
        ),
        "elbo(key(0))",
    ),
    """
import numpyro
import numpyro.distributions as dist
from numpyro.distributions import transforms

def log_prob(d):
    x = d.sample(jax.random.key(1), (3,)) if not isinstance(d, dist.ImproperUniform) else jnp.ones(3)
    return lambda key: d.log_prob(x)
def grad_log_prob(d):
    x = d.sample(jax.random.key(1), (3,))
    return lambda key: jax.grad(lambda x: d.log_prob(x).sum())(x)
def cdf(d): return lambda x: d.cdf(jax.nn.sigmoid(x))
def both(t):
    def run(x):
        y = t(x)
        return y, t.log_abs_det_jacobian(x, y)
    return run
def model():
    x = numpyro.sample("x", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.StudentT(3.0, x, 1.0), obs=0.5)
def elbo(key):
    guide = numpyro.infer.autoguide.AutoNormal(model)
    svi = numpyro.infer.SVI(model, guide, numpyro.optim.Adam(0.1), numpyro.infer.Trace_ELBO())
    return svi.update(svi.init(key))[1]
""",
)
_GYMNAX = Group(
    "gymnax",
    tuple(
        f"step(gymnax.make({name!r}))(key(0))"
        for name in (
            *("CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"),
            *("MountainCarContinuous-v0", "Asterix-MinAtar", "Breakout-MinAtar"),
            *("Freeway-MinAtar", "SpaceInvaders-MinAtar", "Catch-bsuite", "DeepSea-bsuite"),
            *("MemoryChain-bsuite", "UmbrellaChain-bsuite", "DiscountingChain-bsuite"),
            *("SimpleBandit-bsuite", "FourRooms-misc", "MetaMaze-misc", "PointRobot-misc"),
            *("BernoulliBandit-misc", "GaussianBandit-misc", "Reacher-misc", "Swimmer-misc"),
            "Pong-misc",
        )
    ),
    """
import gymnax

def step(made):
    env, params = made
    def run(key):
        first, second, third = jax.random.split(key, 3)
        obs, state = env.reset(first, params)
        action = env.action_space(params).sample(second)
        return env.step(third, state, action, params)
    return run
""",
)
_PGX = Group(
    "pgx",
    tuple(
        f"step(pgx.make({name!r}))(key(0))"
        for name in (
            *("tic_tac_toe", "connect_four", "othello", "hex", "go_9x9", "2048", "kuhn_poker"),
            *("leduc_holdem", "backgammon", "animal_shogi", "gardner_chess", "chess"),
            *("sparrow_mahjong", "minatar-asterix", "minatar-breakout", "minatar-freeway"),
            *("minatar-seaquest", "minatar-space_invaders"),
        )
    ),
    """
import pgx

def step(env):
    def run(key):
        first, second = jax.random.split(key)
        state = env.init(first)
        return env.step(state, jnp.argmax(state.legal_action_mask), second).observation
    return run
""",
)
_EVOSAX = Group(
    "evosax",
    tuple(
        f"generation(es.{name})(key(0))"
        for name in (
            *("ARS", "ASEBO", "CMA_ES", "CR_FM_NES", "GuidedES", "HillClimbing", "LM_MA_ES"),
            *("iAMaLGaM_Full", "iAMaLGaM_Univariate", "LearnedES", "MA_ES", "NoiseReuseES"),
            *("Open_ES", "PersistentES", "PGPE", "RandomSearch", "Rm_ES", "Sep_CMA_ES"),
            *("SimpleES", "SimulatedAnnealing", "SNES", "SV_CMA_ES", "SV_Open_ES", "xNES"),
            *("GradientlessDescent", "DiscoveredES", "EvoTF_ES", "ESMC", "DifferentialEvolution"),
            *("DiffusionEvolution", "GESMR_GA", "LearnedGA", "MR15_GA", "PSO", "SAMR_GA"),
            "SimpleGA",
        )
    ),
    """
from evosax import algorithms as es

def generation(kind):
    def run(key):
        first, second, third = jax.random.split(key, 3)
        x = jnp.zeros(4)
        algorithm = kind(population_size=8, solution=x)
        params = algorithm.default_params
        if issubclass(kind, es.base.EvolutionaryAlgorithm) and "population_based" in kind.__module__:
            state = algorithm.init(first, jnp.zeros((8, 4)), jnp.zeros(8), params)
        else:
            state = algorithm.init(first, x, params)
        population, state = algorithm.ask(second, state, params)
        return algorithm.tell(third, population, jnp.sum(population**2, axis=1), state, params)
    return run
""",
)
_BLACKJAX = Group(
    "blackjax, steps",
    tuple(
        f"step({made})(key(0))"
        for made in (
            *("blackjax.nuts(logp, 0.1, M)", "blackjax.hmc(logp, 0.1, M, 5)"),
            *("blackjax.mala(logp, 0.1)", "blackjax.ghmc(logp, 0.1, M, 0.5, 0.5)"),
            *("blackjax.rmh(logp, lambda k, x: x + jax.random.normal(k, x.shape))",),
            *("blackjax.mclmc(logp, 0.5, 0.1)", "blackjax.barker_proposal(logp, 0.1)"),
            *("blackjax.adjusted_mclmc(logp, 0.1, num_integration_steps=5)",),
            *(
                "blackjax.dynamic_hmc(logp, 0.1, M)",
                "blackjax.additive_step_random_walk.normal_random_walk(logp, M)",
            ),
            *("blackjax.elliptical_slice(logp, mean=M, cov=jnp.eye(4))",),
            *("blackjax.hit_and_run(logp, 0.1)", "blackjax.multinomial_hmc(logp, 0.1, M, 5)"),
        )
    )
    + tuple(
        f"warm_up(blackjax.{name})(key(0))"
        for name in (
            "window_adaptation(blackjax.nuts, logp)",
            "chees_adaptation(logp, 4)",
            "pathfinder_adaptation(blackjax.nuts, logp)",
        )
    ),
    """
import blackjax

M = jnp.ones(4)

def logp(x):
    return -0.5 * jnp.sum(x**2)

def step(kernel):
    def run(key):
        first, second = jax.random.split(key)
        return kernel.step(second, kernel.init(jnp.ones(4), first) if kernel.init.__code__.co_argcount > 1 else kernel.init(jnp.ones(4)))
    return run

def warm_up(algorithm):
    def run(key):
        return algorithm.run(key, jnp.ones(4), 100)
    return run
""",
)

GROUPS: tuple[Group, ...] = (
    *(_OPTAX, _TFP, _DISTRAX, _HAIKU, _JAXOPT, _BRAX, _FLAX, _NUMPYRO),
    *(_GYMNAX, _PGX, _EVOSAX, _BLACKJAX),
)
