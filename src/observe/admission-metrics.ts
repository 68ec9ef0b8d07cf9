/** Metrics of admission, with their Kubernetes names. */
import type { HistogramFamily, NumberFamily } from './metric-series.ts';
import type { Metrics } from './metrics.ts';

export interface AdmissionMetrics {
  /** Of a phase with all its plugins. */
  readonly stepDuration: HistogramFamily;
  readonly pluginDuration: HistogramFamily;
  readonly webhookDuration: HistogramFamily;
  readonly webhookRejections: NumberFamily;
  /** Failed calls without which the write went on. */
  readonly webhookFailOpen: NumberFamily;
  /** Evaluations of validating policies. */
  readonly policyChecks: NumberFamily;
  readonly policyDuration: HistogramFamily;
  /** Evaluations of single changes of mutating policies. */
  readonly mutationChecks: NumberFamily;
  readonly mutationDuration: HistogramFamily;
}

/** In seconds, as in kube-apiserver. */
const bounds = [0.005, 0.025, 0.1, 0.5, 2.5];

const policyBounds = [0.0000005, 0.001, 0.01, 0.1, 1];

/** Registers the metrics. */
export function createAdmissionMetrics(metrics: Metrics): AdmissionMetrics {
  return { ...pluginMetrics(metrics), ...policyMetrics(metrics) };
}

function pluginMetrics(metrics: Metrics) {
  const labels = ['name', 'type', 'operation'];
  return {
    stepDuration: metrics.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      life: 'ALPHA 1.21, STABLE 1.23',
      help: 'Latency in seconds of a phase of admission with all its plugins, by type (admit, validate), operation and whether the request was rejected.',
      labels: ['type', 'operation', 'rejected'],
      bounds,
    }),
    pluginDuration: metrics.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      life: 'ALPHA 1.21, STABLE 1.23',
      help: 'Admission plugin latency in seconds, by plugin, type (admit, validate), operation and whether the request was rejected.',
      labels: [...labels, 'rejected'],
      bounds,
    }),
    webhookDuration: metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      life: 'ALPHA 1.21, STABLE 1.23',
      help: 'Admission webhook latency in seconds, by webhook, type (admit, validating), operation and whether the request was rejected.',
      labels: [...labels, 'rejected'],
      bounds: [...bounds, 10, 25],
    }),
    webhookRejections: metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Rejections by admission webhooks, by webhook, type, operation, error type and response code.',
      labels: [...labels, 'error_type', 'rejection_code'],
    }),
    webhookFailOpen: metrics.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Failed calls of admission webhooks that were ignored (failurePolicy Ignore), by webhook and type.',
      labels: ['name', 'type'],
    }),
  };
}

function policyMetrics(metrics: Metrics) {
  const ofMutations = ['policy', 'policy_binding', 'error_type'];
  const ofFormerPolicies = ['policy', 'policy_binding', 'state', 'enforcement_action'];
  const ofPolicies = ['policy', 'policy_binding', 'error_type', 'enforcement_action'];
  return {
    policyChecks: metrics.counter({
      name: 'apiserver_validating_admission_policy_check_total',
      life: 'ALPHA 1.21, BETA 1.31',
      help: 'Checks by validating admission policies, by policy, binding, error type and enforcement action (allow, deny, warn, audit).',
      labels: ofFormerPolicies,
      laterLabels: { since: '1.31', labels: ofPolicies },
    }),
    policyDuration: metrics.histogram({
      name: 'apiserver_validating_admission_policy_check_duration_seconds',
      life: 'ALPHA 1.21, BETA 1.31',
      help: 'Latency in seconds of a validating admission policy, by policy, binding, error type and enforcement action.',
      labels: ofFormerPolicies,
      laterLabels: { since: '1.31', labels: ofPolicies },
      bounds: policyBounds,
    }),
    mutationChecks: metrics.counter({
      name: 'apiserver_mutating_admission_policy_check_total',
      help: 'Mutations by mutating admission policies, by policy, binding and error type.',
      labels: ofMutations,
    }),
    mutationDuration: metrics.histogram({
      name: 'apiserver_mutating_admission_policy_check_duration_seconds',
      help: 'Latency in seconds of a single mutation of a mutating admission policy, by policy, binding and error type.',
      labels: ofMutations,
      bounds: policyBounds,
    }),
  };
}
