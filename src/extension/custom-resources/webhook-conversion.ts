/** Calls the conversion webhook of a definition. */
import type { CustomResourceConversion } from '../../api/apiextensions/v1.types.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors.ts';
import { joinedSignals } from '../../base/joined-signals.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { measureInSteps } from '../../base/measure.ts';
import { resultInSlices, resultOf } from '../../base/sliced-work.ts';
import type { JsonObject } from '../../base/json.ts';
import { textOf } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { StatusError } from '../../meta/status.ts';
import type { HistogramFamily } from '../../observe/metric-series.ts';
import { readClient, type CallWebhook, type WebhookEndpoint } from '../../webhook/client-config.ts';
import {
  newConversionReview,
  convertedInSteps,
  reviewVersionOf,
  type ReviewVersion,
} from './conversion-review.ts';

/** Services for webhook calls. */
export interface ConversionCalls extends Environment {
  readonly sendReview: CallWebhook;
  /** Aborts all calls. */
  readonly signal: AbortSignal;
  /** Duration in seconds by definition, versions and success. */
  readonly duration: HistogramFamily;
}

/** Timeout of a call. */
const timeoutSeconds = 30;

/**
 * Maximum bytes of a response: objects may grow by a factor (for example an annotation with the other version), small
 * ones by more.
 */
async function longestAnswer(objects: readonly JsonObject[]): Promise<number> {
  const { weight } = await resultInSlices(measureInSteps([...objects]));
  return 512 * 1024 + 3 * weight;
}

/** All answers that are checked share it. */
const checking = new SharedSlice();

function breathe(): MaybePromise<void> {
  return checking.shouldYield() ? checking.yieldNow() : undefined;
}

export class WebhookConversion {
  private readonly definition: string;
  private readonly naming: NamingProfile;
  private readonly calls: ConversionCalls;
  private readonly client: WebhookEndpoint;
  private readonly review: ReviewVersion | undefined;

  constructor(
    definition: string,
    conversion: CustomResourceConversion,
    parts: { readonly naming: NamingProfile; readonly calls: ConversionCalls },
  ) {
    const { clientConfig, conversionReviewVersions } = conversion.webhook ?? {};
    this.definition = definition;
    this.naming = parts.naming;
    this.calls = parts.calls;
    this.client = readClient(clientConfig ?? {});
    this.review = reviewVersionOf(conversionReviewVersions);
  }

  /**
   * Converts objects to another group and version, in order.
   * @param signal aborts the call
   * @throws StatusError 500
   */
  async convert(objects: readonly JsonObject[], desired: string, signal: AbortSignal): Promise<JsonObject[]> {
    const [first = {}] = objects;
    const startedAt = this.calls.clock.monotonic();
    try {
      const converted = await this.sendReview(objects, desired, signal);
      this.observe(first, desired, { startedAt, succeeded: true });
      return converted;
    } catch (error) {
      this.observe(first, desired, { startedAt, succeeded: false });
      throw failure(first, error);
    }
  }

  private async sendReview(
    objects: readonly JsonObject[],
    desired: string,
    signal: AbortSignal,
  ): Promise<JsonObject[]> {
    const { naming, review: version, calls } = this;
    if (!version) throw new Error('it understands no version of ConversionReview that is spoken here');
    const question = { uid: calls.random.uuid(), version, naming, desired, objects };
    using joined = joinedSignals(calls.signal, signal);
    const limits = {
      ...{ timeoutSeconds, signal: joined.signal },
      longestAnswer: await longestAnswer(objects),
    };
    const answer = await calls.sendReview(this.client, newConversionReview(question), limits);
    return await resultOf(convertedInSteps(answer, question), breathe);
  }

  private observe(
    first: JsonObject,
    desired: string,
    { startedAt, succeeded }: { readonly startedAt: number; readonly succeeded: boolean },
  ): void {
    const labels = {
      crd_name: this.definition,
      from_version: textOf(first['apiVersion']),
      to_version: desired,
      succeeded: String(succeeded),
    };
    this.calls.duration.series(labels).observe((this.calls.clock.monotonic() - startedAt) / 1000);
  }
}

function failure({ apiVersion, kind }: JsonObject, error: unknown): StatusError {
  const what = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
  const message = `conversion webhook for ${what} failed: ${messageOf(error)}`;
  return new StatusError(500, 'InternalError', message, { details: { causes: [{ message }] }, cause: error });
}
