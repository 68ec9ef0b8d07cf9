/**
 * The OpenAPI documents of other servers, checked and ready to be merged. A document that is being checked, or that is
 * refused, is as if it was not there: no request waits for a stranger.
 *
 *   description changed ─▶ thread: checked ─▶ used from then on ─▶ thread: merged at the first request
 *                                  └─ refused: a warning
 */
import { messageOf } from '../../../base/errors.ts';
import type { AggregationMetrics } from '../../../observe/aggregation-metrics.ts';
import type { Logger } from '../../../observe/log.ts';
import { cacheDocument, type CachedDocument } from '../../cached-document.ts';
import type { DocumentForm } from '../document-encoding.ts';
import { documentTypes } from '../group-document.ts';
import { serviceUnavailable } from '../../../meta/status.ts';
import type { Encoded } from './encoded.ts';
import type { Checked } from './job.ts';
import type { Merged } from './merging.ts';
import type { MergeJob, OpenApiThread } from './openapi-thread.ts';

/** What a server says of itself, as sent; another value if it says something else. */
export interface RemoteDescription {
  /** Of its APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly v2: Buffer | undefined;
  readonly v3: Buffer | undefined;
}

export interface CheckedDescription extends Pick<RemoteDescription, 'name' | 'group' | 'version'> {
  /** Part of the document of version 2. */
  readonly v2: Uint8Array | undefined;
  readonly v3: Readonly<Record<DocumentForm, CachedDocument>> | undefined;
}

export interface RemoteOpenApiParts {
  readonly thread: Pick<OpenApiThread, 'check' | 'merge'>;
  readonly metrics: Pick<AggregationMetrics, 'regenerations' | 'regenerationDuration'>;
  readonly log: Logger;
}

/** What the document of this service has already. */
export type LocalMembers = Omit<MergeJob, 'sources'>;

type Reason = 'add' | 'update' | 'delete';

export class RemoteOpenApi {
  readonly #parts: RemoteOpenApiParts;
  #wanted: readonly RemoteDescription[] = [];
  /** By name: what was checked, and of what. */
  readonly #checked = new Map<
    string,
    { readonly of: RemoteDescription; readonly result: CheckedDescription | undefined }
  >();
  #current: readonly CheckedDescription[] = [];
  /** What has changed since the last merge. */
  #causes = new Map<string, Reason>();
  #isChecking = false;

  constructor(parts: RemoteOpenApiParts) {
    this.#parts = parts;
  }

  /** Checked descriptions in order of preference; the same value until one changes. */
  current(): readonly CheckedDescription[] {
    return this.#current;
  }

  /** @param descriptions all that there are, in order of preference */
  update(descriptions: readonly RemoteDescription[]): void {
    this.#wanted = descriptions;
    const names = new Set(descriptions.map(({ name }) => name));
    for (const name of [...this.#checked.keys()].filter((known) => !names.has(known))) {
      this.#checked.delete(name);
      this.#causes.set(name, 'delete');
    }
    this.#renew();
    if (!this.#isChecking) void this.#checkAll();
  }

  /**
   * The members that the servers add to the document of version 2.
   * @throws StatusError 503 if they could not be merged: without them, clients would take what is there for gone
   */
  async merge(sources: readonly CheckedDescription[], local: LocalMembers): Promise<Merged> {
    const started = performance.now();
    const causes = this.#causes;
    this.#causes = new Map();
    try {
      const documents = sources.flatMap(({ v2 }) => v2 ?? []);
      const merged = await this.#parts.thread.merge({ ...local, sources: documents });
      if (merged.leftOut > 0)
        this.#parts.log.warn(
          'OpenAPI documents of aggregated APIs are left out: they are too many together',
          {
            documents: merged.leftOut,
          },
        );
      return merged;
    } catch (error) {
      this.#parts.log.error('OpenAPI documents of aggregated APIs could not be merged', { err: error });
      throw serviceUnavailable('OpenAPI documents of aggregated APIs could not be merged');
    } finally {
      const seconds = (performance.now() - started) / 1_000;
      for (const [apiservice, reason] of causes) {
        this.#parts.metrics.regenerations.series({ apiservice, reason }).add();
        this.#parts.metrics.regenerationDuration.series({ reason }).set(seconds);
      }
    }
  }

  /** One after the other; a description that changes meanwhile is checked once more. */
  async #checkAll(): Promise<void> {
    this.#isChecking = true;
    for (let next = this.#due(); next; next = this.#due()) {
      const before = this.#checked.get(next.name);
      const result = await this.#check(next);
      if (!this.#wanted.includes(next)) continue;
      this.#checked.set(next.name, { of: next, result });
      this.#causes.set(next.name, before?.result ? 'update' : 'add');
      this.#renew();
    }
    this.#isChecking = false;
  }

  #due(): RemoteDescription | undefined {
    return this.#wanted.find((description) => this.#checked.get(description.name)?.of !== description);
  }

  async #check({ name, group, version, v2, v3 }: RemoteDescription): Promise<CheckedDescription | undefined> {
    const warn = (problem: string): void => {
      this.#parts.log.warn('an OpenAPI document of an aggregated API is refused', {
        apiService: name,
        problem,
      });
    };
    try {
      const checked = await this.#parts.thread.check({ group, version, v2, v3 });
      checked.problems.forEach(warn);
      return { ...{ name, group, version, v2: checked.v2 }, v3: await documentsOf(checked.v3) };
    } catch (error) {
      warn(messageOf(error));
      return undefined;
    }
  }

  #renew(): void {
    const current = this.#wanted.flatMap(({ name }) => this.#checked.get(name)?.result ?? []);
    const isSame =
      current.length === this.#current.length && current.every((one, index) => one === this.#current[index]);
    if (!isSame) this.#current = current;
  }
}

async function documentsOf(v3: Checked['v3']): Promise<CheckedDescription['v3']> {
  if (!v3) return undefined;
  const document = (form: keyof Encoded<unknown>): Promise<CachedDocument> =>
    cacheDocument(documentTypes.v3[form], [Buffer.from(v3[form].buffer)]);
  return { json: await document('json'), protobuf: await document('protobuf') };
}
