/**
 * Keeps the condition `Available` of APIServices (`AvailableConditionController` of kube-aggregator): after each
 * change of the APIService, its Service or its Endpoints, and every 30 s. Every replica does this; a condition that
 * says the same already is not written again.
 *
 *   changed, 30 s passed ─▶ objects checked ─▶ server asked ─▶ condition written ─▶ routing of all replicas
 *                              └─────── failed: again after 5 ms, doubling up to 30 s ◀──────┘
 */
import type { APIServiceCondition } from '../../api/apiregistration/v1.types.ts';
import { Backoff } from '../../base/backoff.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors.ts';
import { FewATurn } from '../../base/few-a-turn.ts';
import type { JsonObject } from '../../base/json.ts';
import { pause } from '../../base/pause.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { shortText } from '../../base/short-text.ts';
import { isLostChange } from '../../meta/lost-race.ts';
import { formatSeconds } from '../../meta/time.ts';
import { transitionTime } from '../../meta/transition-time.ts';
import { groupMasters, type UserInfo } from '../../meta/user.ts';
import type { AggregationMetrics } from '../../observe/aggregation-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import { ownScope } from '../../registry/write/own-writes.ts';
import type { RequestScope, ResourceVerbs, ServedResource } from '../../registry/types.ts';
import { followCollection } from '../../storage/follow-collection.ts';
import type { Entry, Storage } from '../../storage/types.ts';
import { checkObjects, failedDiscovery, local, passed, type Finding } from './availability.ts';
import type { BackendConnections } from './backend-connections.ts';
import { apiServiceOf, availableCondition, registrationOf, type Backend } from './registered-service.ts';
import type { RegistrationFollower } from './registrations.ts';
import type { LocateService, Location, ObjectReader } from '../../webhook/service-location.ts';

export interface AvailabilityParts extends Environment {
  readonly registrations: RegistrationFollower;
  readonly connections: Pick<BackendConnections, 'probe'>;
  readonly locate: LocateService;
  readonly reader: ObjectReader;
  readonly storage: Pick<Storage, 'view' | 'watch'>;
  /** The resource of APIServices. */
  readonly resource: ServedResource;
  readonly verbs: Pick<ResourceVerbs, 'patch'>;
  readonly metrics: Pick<AggregationMetrics, 'unavailable' | 'becameUnavailable'>;
  readonly log: Logger;
}

/** Who asks: a user that may read everything. */
const prober: UserInfo = { name: 'system:kube-aggregator', uid: '', groups: [groupMasters], extra: {} };
const probeMs = 5_000;
/** At once; one success is enough, as each may reach another endpoint, and ends the others. */
const attempts = 5;
const atOnce = 5;
const againMs = 30_000;
const failurePause = { firstMs: 5, maxMs: againMs };

interface Work {
  isDue: boolean;
  wake: AbortController;
  readonly backoff: Backoff;
}

export class AvailabilityController {
  readonly #parts: AvailabilityParts;
  readonly #stopping = new AbortController();
  readonly #works = new Map<string, Work>();
  readonly #runs = new Set<Promise<void>>();
  readonly #slots = new Semaphore(atOnce);
  /** Names of services by `<namespace>/<name>` of their Service, and the other way round. */
  readonly #byBackend = new Map<string, Set<string>>();
  readonly #backendOf = new Map<string, string>();
  /** Names of those that are to be checked soon: a Service may be that of hundreds. */
  readonly #toWake = new Set<string>();
  readonly #wakes = new FewATurn();
  /** What was last checked by name: a change of the status alone needs no check. */
  readonly #wishes = new Map<string, string>();

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
  }

  /** Begins to check; call it once. */
  start(): void {
    const { registrations } = this.#parts;
    registrations.onChange((names) => this.#noteServices(names));
    this.#noteServices(new Set(registrations.current().ordered.map(({ name }) => name)));
    for (const collection of ['core/services', 'core/endpoints']) {
      const wakeAll = (): void => {
        for (const names of this.#byBackend.values()) this.#wakeEach(names);
      };
      const listener = {
        onState: wakeAll,
        onEvents: (events: readonly { readonly key: string }[]) => {
          for (const { key } of events) this.#wakeEach(this.#byBackend.get(key) ?? new Set());
        },
      };
      followCollection(this.#parts, collection, listener, this.#stopping.signal);
    }
  }

  /** Resolves when no check is in progress. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const { wake } of this.#works.values()) wake.abort();
    await Promise.all(this.#runs);
  }

  #noteServices(names: ReadonlySet<string>): void {
    for (const name of names) {
      const service = this.#parts.registrations.service(name);
      this.#noteBackend(name, keyOf(service?.backend));
      const wish = service?.wish ?? '';
      if (this.#wishes.get(name) === wish) continue;
      this.#wishes.set(name, wish);
      this.#wake(name);
    }
  }

  /** @param key of its Service; '' without one */
  #noteBackend(name: string, key: string): void {
    const before = this.#backendOf.get(name) ?? '';
    if (before === key) return;
    const others = this.#byBackend.get(before);
    others?.delete(name);
    if (others?.size === 0) this.#byBackend.delete(before);
    this.#backendOf.delete(name);
    if (key === '') return;
    this.#backendOf.set(name, key);
    this.#byBackend.set(key, (this.#byBackend.get(key) ?? new Set()).add(name));
  }

  #wakeEach(names: ReadonlySet<string>): void {
    for (const name of names) this.#wake(name);
  }

  #wake(name: string): void {
    if (this.#toWake.has(name)) return;
    this.#toWake.add(name);
    this.#wakes.add(() => {
      this.#toWake.delete(name);
      this.#wakeNow(name);
    });
  }

  #wakeNow(name: string): void {
    if (this.#stopping.signal.aborted) return;
    const known = this.#works.get(name);
    if (known?.isDue) return;
    if (known) {
      known.isDue = true;
      known.wake.abort();
      return;
    }
    const work: Work = {
      isDue: true,
      wake: new AbortController(),
      backoff: new Backoff(failurePause, this.#parts.random),
    };
    this.#works.set(name, work);
    const run = this.#work(name, work).finally(() => this.#runs.delete(run));
    this.#runs.add(run);
  }

  /** Ends when the service is gone, or is local and was seen to. */
  async #work(name: string, work: Work): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      begin(work);
      const outcome = await this.#slots
        .use(() => this.#check(name))
        .catch((error: unknown) => this.#failed(name, error));
      if (isDue(work)) continue;
      if (outcome === 'settled') {
        this.#works.delete(name);
        return;
      }
      if (outcome === 'checked') work.backoff.reset();
      const pauseMs = outcome === 'checked' ? againMs : work.backoff.nextMs();
      await pause(this.#parts.clock, pauseMs, work.wake.signal);
    }
  }

  #failed(name: string, error: unknown): 'again' {
    // The change of another writer is looked at for itself.
    if (!isLostChange(error) && !this.#stopping.signal.aborted)
      this.#parts.log.warn('an APIService could not be checked; retrying', { apiService: name, err: error });
    return 'again';
  }

  async #check(name: string): Promise<'settled' | 'checked' | 'again'> {
    const { registrations, metrics, storage } = this.#parts;
    const entry = storage.view(registrations.collection).get(name);
    if (!entry || this.#stopping.signal.aborted) {
      metrics.unavailable.forget({ name });
      this.#wishes.delete(name);
      return 'settled';
    }
    const backend = registrations.service(name)?.backend;
    const found = backend ? await this.#find(entry, backend) : local;
    metrics.unavailable.series({ name }).set(found.status === 'True' ? 0 : 1);
    await this.#write(entry, found);
    if (!backend) return 'settled';
    return found.reason === 'FailedDiscoveryCheck' ? 'again' : 'checked';
  }

  async #find(entry: Entry, backend: Backend): Promise<Finding> {
    const wrong = checkObjects(backend, this.#parts.reader);
    if (wrong) return wrong;
    const { group, version } = registrationOf(entry);
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const enough = new AbortController();
    const giveUp = (): void => enough.abort();
    this.#stopping.signal.addEventListener('abort', giveUp);
    try {
      await Promise.any(
        Array.from({ length: attempts }, () => this.#ask(backend, { path, signal: enough.signal })),
      );
      return passed;
    } catch (error) {
      const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
      return failedDiscovery(shortText(messageOf(last)));
    } finally {
      this.#stopping.signal.removeEventListener('abort', giveUp);
      enough.abort();
    }
  }

  /** @throws Error unless the server answers with a code in the 200s */
  async #ask(
    backend: Backend,
    { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const location = this.#parts.locate(backend);
    const url = `https://${hostOf(location)}:${String(location.port)}${path}`;
    const asked = { user: prober, timeoutMs: probeMs, signal };
    const code = await this.#parts.connections.probe(location, path, asked).catch((error: unknown) => {
      throw new Error(`failing or missing response from ${url}: ${messageOf(error)}`, { cause: error });
    });
    if (code >= 200 && code < 300) return;
    throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${String(code)}`);
  }

  async #write(entry: Entry, found: Finding): Promise<void> {
    const before = availableCondition(apiServiceOf(entry));
    if (saysTheSame(before, found)) return;
    const { wish, name } = registrationOf(entry);
    const { verbs, metrics, registrations, storage } = this.#parts;
    const seen = { wasAvailable: false };
    await verbs.patch(this.#scope(), name, (current): JsonObject => {
      seen.wasAvailable = conditionsOf(current).some(
        ({ type, status }) => type === found.type && status === 'True',
      );
      // What was found is about this wish; a later one is checked for itself.
      const now = storage.view(registrations.collection).get(name);
      return now && registrationOf(now).wish === wish ? this.#withCondition(current, found) : current;
    });
    // Of several replicas, the one that wrote it counts it.
    if (seen.wasAvailable && found.status !== 'True')
      metrics.becameUnavailable.series({ name, reason: found.reason }).add();
  }

  #withCondition(current: JsonObject, found: Finding): JsonObject {
    const status = (current['status'] ?? {}) as JsonObject;
    const conditions = conditionsOf(current);
    const before = conditions.find(({ type }) => type === found.type);
    const now = formatSeconds(new Date(this.#parts.clock.now()));
    const condition = { ...found, lastTransitionTime: transitionTime(before, found.status, now) };
    const next = before
      ? conditions.map((one) => (one === before ? condition : one))
      : [...conditions, condition];
    return { ...current, status: { ...status, conditions: next as unknown as JsonObject[] } };
  }

  #scope(): RequestScope {
    const { resource } = this.#parts;
    return ownScope({ resource, subresource: 'status', signal: this.#stopping.signal });
  }
}

/** What changes from now on makes it due again. */
function begin(work: Work): void {
  work.isDue = false;
  work.wake = new AbortController();
}

function isDue(work: Work): boolean {
  return work.isDue;
}

function conditionsOf({ status }: JsonObject): readonly APIServiceCondition[] {
  return ((status as JsonObject | undefined)?.['conditions'] ??
    []) as unknown as readonly APIServiceCondition[];
}

function saysTheSame(condition: APIServiceCondition | undefined, found: Finding): boolean {
  return (
    condition?.status === found.status &&
    condition.reason === found.reason &&
    condition.message === found.message
  );
}

function keyOf(backend: Backend | undefined): string {
  return backend ? `${backend.namespace}/${backend.name}` : '';
}

function hostOf({ host }: Location): string {
  return host.includes(':') ? `[${host}]` : host;
}
