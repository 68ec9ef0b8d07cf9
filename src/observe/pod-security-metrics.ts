/** Metrics of the admission plugin PodSecurity, with their Kubernetes names. */
import type { Metrics } from './metrics.ts';

/** What was asked: `create` or `update` of a `pod`, or of a `controller` that makes pods. */
export interface PodSecurityRequest {
  readonly request_operation: string;
  readonly resource: string;
  readonly subresource: string;
}

export interface PodSecurityEvaluation {
  readonly decision: 'allow' | 'deny';
  readonly policy_level: string;
  /** `latest`, `v1.N`, or `future` for a release that is not known yet. */
  readonly policy_version: string;
  readonly mode: string;
}

export interface PodSecurityMetrics {
  evaluated(evaluation: PodSecurityEvaluation, request: PodSecurityRequest): void;
  exempted(request: PodSecurityRequest): void;
  /** @param isFatal the request is refused for it */
  failed(isFatal: boolean, request: PodSecurityRequest): void;
}

const request = ['request_operation', 'resource', 'subresource'];

/** Registers the metrics. */
export function createPodSecurityMetrics(metrics: Metrics): PodSecurityMetrics {
  const evaluations = metrics.counter({
    name: 'pod_security_evaluations_total',
    help: 'Evaluations of pods by the Pod Security Standards; without exempt requests.',
    labels: ['decision', 'policy_level', 'policy_version', 'mode', ...request],
  });
  const exemptions = metrics.counter({
    name: 'pod_security_exemptions_total',
    help: 'Requests that are exempt from the Pod Security Standards.',
    labels: request,
  });
  const errors = metrics.counter({
    name: 'pod_security_errors_total',
    help: 'Errors that prevented the evaluation of pods; fatal: the request was refused.',
    labels: ['fatal', ...request],
  });
  return {
    evaluated: (evaluation, about) => {
      evaluations.series({ ...evaluation, ...about }).add();
    },
    exempted: (about) => {
      exemptions.series({ ...about }).add();
    },
    failed: (isFatal, about) => {
      errors.series({ fatal: String(isFatal), ...about }).add();
    },
  };
}
