/** Waits for the initial load of the state. There is no total timeout, only one between two pages of etcd. */
import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { aborted } from '../base/pause.ts';
import type { HealthCheck } from '../observe/health-checks.ts';
import type { LoadProgress } from '../storage/state-load.ts';
import type { EtcdStorage } from '../storage/storage.ts';
import { StartError } from '../base/start-error.ts';
import type { EtcdAccess } from '../options/credentials.ts';

/** Timeout without a page. */
const progressDeadlineMs = 10_000;
const lookMs = 250;

export interface LoadingParts {
  readonly clock: Clock;
  readonly storage: Pick<EtcdStorage, 'ready' | 'loading' | 'denial' | 'health'>;
  readonly etcd: EtcdAccess;
  /** Informers that must be synced before requests are served. */
  readonly readers: readonly Promise<unknown>[];
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Another thread loads the state, and notices if etcd does not answer. */
  readonly isFed?: boolean;
}

/**
 * Resolves when the state is loaded and informers are synced.
 * @throws StartError if etcd returns nothing within the timeout, or at once if it denies that to this service
 */
export async function stateLoaded(parts: LoadingParts): Promise<void> {
  const { storage, readers, signal, isFed = false } = parts;
  if (isFed) await Promise.race([storage.ready(), aborted(signal)]);
  else await loaded(parts);
  await Promise.race([Promise.all(readers), aborted(signal)]);
  signal.throwIfAborted();
}

async function loaded({ clock, storage, etcd, signal }: LoadingParts): Promise<void> {
  const watch = new ProgressWatch(storage, clock);
  try {
    await Promise.race([storage.ready(), watch.stalled, aborted(signal)]);
  } catch (error) {
    if (error instanceof DeniedError) throw denied(etcd, error);
    const { etcd: problem } = await storage.health();
    throw StartError.of(
      'ETCD_UNREACHABLE',
      `etcd cannot be used at ${endpointsOf(etcd)} (${problem || messageOf(error)})`,
      'start it, or correct --etcd-servers and the files of --etcd-cafile, --etcd-certfile and --etcd-keyfile',
      error,
    );
  } finally {
    watch.close();
  }
}

function denied(etcd: EtcdAccess, error: DeniedError): StartError {
  return StartError.of(
    'ETCD_DENIED',
    `etcd at ${endpointsOf(etcd)} has authentication switched on and denies access (${error.message})`,
    'give --etcd-certfile and --etcd-keyfile a certificate whose common name is a user of etcd that may read and write below --etcd-prefix (etcd needs --client-cert-auth), or switch its authentication off',
    error,
  );
}

function endpointsOf({ endpoints, overrides }: EtcdAccess): string {
  return [...endpoints, ...overrides.flatMap((override) => override.endpoints)].join(', ');
}

/** Reports the progress of the load; passes if none is in progress. The progress is public, as health checks are. */
export function storageReadiness(storage: Pick<EtcdStorage, 'loading'>): HealthCheck {
  const run = (): string => {
    const progress = storage.loading();
    return progress === undefined ? '' : `loading state from etcd: ${textOf(progress)}`;
  };
  return { name: 'storage-readiness', groups: ['healthz', 'readyz'], run, isPublic: true };
}

/**
 * Checks of the storage of `--etcd-servers-overrides`, by its place there; names as in later releases of kube-apiserver.
 * They are not in livez: a restart brings no etcd back, and everything else goes on without it.
 */
export function checksOfOverride(
  storage: Pick<EtcdStorage, 'loading' | 'health'>,
  index: number,
): HealthCheck[] {
  const groups = ['healthz', 'readyz'] as const;
  const follower = async (): Promise<string> => (await storage.health()).follower;
  return [
    {
      name: `etcd-override-${String(index)}`,
      groups,
      run: async () => (await storage.health()).etcd,
    },
    {
      name: `etcd-override-readiness-${String(index)}`,
      groups,
      run: async () => (await storageReadiness(storage).run()) || follower(),
    },
  ];
}

function textOf({ objects, bytes, revision }: LoadProgress): string {
  return `${String(objects)} objects, ${String(bytes)} bytes, revision ${String(revision)}`;
}

/** etcd knows no user of this service, or the user may not read. */
class DeniedError extends Error {}

/** Monitors the progress of the load. */
class ProgressWatch {
  /** Rejects when no page has arrived within the timeout, or etcd denies access. */
  readonly stalled: Promise<never>;
  private readonly clock: Clock;
  private readonly timer: Timer;
  private pages = 0;
  private since: number;

  constructor(storage: Pick<EtcdStorage, 'loading' | 'denial'>, clock: Clock) {
    this.clock = clock;
    this.since = clock.monotonic();
    const { promise, reject } = Promise.withResolvers<never>();
    this.stalled = promise;
    this.timer = clock.setInterval(() => {
      const denial = storage.denial();
      if (denial !== '') reject(new DeniedError(denial));
      const pages = storage.loading()?.pages ?? this.pages;
      if (pages !== this.pages) this.since = clock.monotonic();
      this.pages = pages;
      if (clock.monotonic() - this.since > progressDeadlineMs) reject(this.late());
    }, lookMs);
  }

  close(): void {
    this.clock.clear(this.timer);
  }

  private late(): Error {
    const seconds = String(progressDeadlineMs / 1000);
    return new Error(
      this.pages === 0 ? `no answer within ${seconds} s` : `no further page within ${seconds} s`,
    );
  }
}
