/**
 * ImagePolicyWebhook: an external service decides (by an ImageReview) whether the images of a pod may be used. Its answers
 * are cached; a service that does not answer refuses the pod, or lets it pass where the configuration says so.
 */
import { LRUCache } from 'lru-cache';
import type { Pod as PodFields } from '../api/core/v1.types.ts';
import type { Stored } from '../api/define.ts';
import type { ImageReviewSpec, ImageReviewStatus } from '../api/imagepolicy/v1alpha1.types.ts';
import { messageOf } from '../base/errors.ts';
import { isObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { shortText } from '../base/short-text.ts';
import { assertTypes, isFlag, isMapOf, isText } from '../meta/answer-types.ts';
import { isAnswerOf } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { forbidden } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import { isWriteOf } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export interface ImagePolicyConfig {
  /** How long an answer is cached, in milliseconds; 0: not at all. */
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  /** Pods pass while the service does not answer. */
  readonly allowsOnFailure: boolean;
}

export interface ImagePolicyParts {
  readonly config: ImagePolicyConfig;
  readonly naming: NamingProfile;
  /** Sends an ImageReview and gives the one that comes back. @throws when there is none in time */
  readonly sendReview: (review: JsonObject) => Promise<JsonObject>;
}

const maxCached = 1_024;
/** Longer questions are not cached: clients choose their length. */
const maxKeyLength = 10_000;
/** Characters: answers are cached, and appear in responses and in the audit log. */
const maxReason = 2_000;
const maxAnnotations = 16_000;

export function createImagePolicyWebhook(parts: ImagePolicyParts): AdmissionPlugin {
  const { config, naming } = parts;
  const domain = `.image-policy.${naming.apiDomain}/`;
  const auditPrefix = `imagepolicywebhook${domain}`;
  const answers = new LRUCache<string, ImageReviewStatus>({ max: maxCached });
  return {
    name: 'ImagePolicyWebhook',
    async validate(attributes): Promise<void> {
      if (!isWriteOf(attributes, 'pods')) return;
      const status = await answerTo(specOf(attributes, domain), attributes);
      if (!status) return;
      for (const [key, value] of Object.entries(status.auditAnnotations ?? {}))
        attributes.scope.annotate?.(auditPrefix + key, value);
      if (status.allowed !== true) throw refused(attributes, problemOf(status));
    },
  };

  /** undefined: there is none, and the pod may pass. @throws StatusError 403 where it may not */
  async function answerTo(
    spec: ImageReviewSpec,
    attributes: AdmissionAttributes,
  ): Promise<ImageReviewStatus | undefined> {
    const key = JSON.stringify(spec);
    const known = answers.get(key);
    if (known) return known;
    try {
      const status = await ask(parts, spec);
      const ttl = status.allowed === true ? config.allowedTtlMs : config.deniedTtlMs;
      if (ttl > 0 && key.length <= maxKeyLength) answers.set(key, status, { ttl });
      return status;
    } catch (error) {
      if (!config.allowsOnFailure) throw refused(attributes, messageOf(error));
      attributes.scope.annotate?.(`${auditPrefix}failed-open`, 'true');
      return undefined;
    }
  }
}

function refused({ scope, name }: AdmissionAttributes, problem: string): Error {
  return forbidden(scope.resource.gvr, name, problem);
}

function problemOf({ reason = '' }: ImageReviewStatus): string {
  return reason === ''
    ? 'one or more images rejected by webhook backend'
    : `image policy webhook backend denied one or more images: ${reason}`;
}

/** The service hears of annotations that are for it, of no others. */
function specOf({ object, scope }: AdmissionAttributes, domain: string): ImageReviewSpec {
  const { metadata, spec } = object as Stored<PodFields>;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes(domain));
  return {
    containers: containers.map(({ image = '' }) => ({ image })),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    namespace: scope.namespace,
  };
}

const types = { allowed: isFlag, reason: isText, auditAnnotations: isMapOf(isText) };

/** @throws Error for an answer that is none */
async function ask(
  { naming, sendReview }: ImagePolicyParts,
  spec: ImageReviewSpec,
): Promise<ImageReviewStatus> {
  const apiVersion = `imagepolicy.${naming.apiDomain}/v1alpha1`;
  const kind = 'ImageReview';
  const answer = await sendReview({ apiVersion, kind, spec: spec as JsonObject });
  if (!isAnswerOf(answer, { apiVersion, kind }))
    throw new Error(`the image policy webhook answered with something else than an ${kind} of ${apiVersion}`);
  const { status } = answer;
  if (!isObject(status)) throw new Error('the image policy webhook answered without a status');
  assertTypes(status, 'status', types);
  const { allowed, reason, auditAnnotations } = status;
  return {
    allowed: allowed === true,
    reason: shortText(textOf(reason), maxReason),
    auditAnnotations: annotationsOf(auditAnnotations),
  };
}

/** @throws Error for more than anyone has */
function annotationsOf(value: JsonValue | undefined): Record<string, string> {
  const entries = Object.entries(isObject(value) ? value : {});
  const texts = entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []));
  const length = texts.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  if (length > maxAnnotations)
    throw new Error(
      `the audit annotations of the image policy webhook have more than ${String(maxAnnotations)} characters`,
    );
  return Object.fromEntries(texts);
}
