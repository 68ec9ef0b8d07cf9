/** A control plane in this thread: a replica over an etcd in memory. */
import { systemEnvironment } from '../../base/environment.ts';
import { pause } from '../../base/pause.ts';
import { StartError } from '../../base/start-error.ts';
import { MemoryEtcd, type EtcdSnapshot } from '../../memory-etcd/memory-etcd.ts';
import { createLogger, levelOfVerbosity } from '../../observe/log.ts';
import { completeConfig, type CompletedConfig } from '../../options/complete-config.ts';
import { configFromFlags } from '../../options/config-from-flags.ts';
import type { Credentials } from '../../options/credentials.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import { credentialsOf } from '../../server/credentials-of.ts';
import { startReplica, type ServingReplica } from '../../server/replica.ts';
import { checkFlagNames } from './flag-names.ts';
import { isObjectKey } from './object-keys.ts';
import { LogTail } from './log-tail.ts';
import type { StartOrder } from './protocol.ts';
import { accountsExist } from './accounts-exist.ts';

/** What etcd in memory takes: objects of any size that the service takes. */
const largestRequestBytes = 16 * 1024 * 1024;

/** Any collection: a fresh read of it waits for all of the view. */
const probed = 'core/namespaces';

export class HostedPlane {
  readonly #config: CompletedConfig;
  readonly #etcd: MemoryEtcd;
  readonly #owned: AsyncDisposableStack;
  readonly #log: LogTail;
  #credentials: Credentials;
  readonly #serving: ServingReplica;

  private constructor(parts: {
    config: CompletedConfig;
    etcd: MemoryEtcd;
    owned: AsyncDisposableStack;
    log: LogTail;
    credentials: Credentials;
    serving: ServingReplica;
  }) {
    this.#config = parts.config;
    this.#etcd = parts.etcd;
    this.#owned = parts.owned;
    this.#log = parts.log;
    this.#credentials = parts.credentials;
    this.#serving = parts.serving;
  }

  /**
   * Resolves when it serves and its controllers have made what every namespace has.
   * @param etcd absent: an empty one
   * @throws StartError with all faults of the flags, or if the port cannot be used
   */
  static async start(order: StartOrder, etcd = emptyEtcd()): Promise<HostedPlane> {
    const config = await configOf(order.flags);
    const credentials = { ...credentialsOf(config.files, order.pki), tokens: order.tokens };
    const log = new LogTail();
    const { clock } = systemEnvironment;
    const logger = createLogger({
      ...{ clock, level: levelOfVerbosity(config.verbosity), format: config.logFormat, destination: log },
    });
    const owned = new AsyncDisposableStack();
    owned.defer(() => etcd.close());
    const { signal } = new AbortController();
    try {
      const serving = await startReplica(config, {
        ...{ credentials, logger, signal, owned, environment: systemEnvironment },
        etcd: { endpoints: ['http://memory:2379'], overrides: [] },
        connectLine: etcd.connectLine,
      });
      await accountsExist(config, serving.replica, (ms) => pause(clock, ms, signal));
      return new HostedPlane({ config, etcd, owned, log, credentials, serving });
    } catch (error) {
      await owned.disposeAsync();
      throw error;
    }
  }

  get port(): number {
    return this.#serving.port;
  }

  logs(): string {
    return this.#log.text();
  }

  useTokens(tokens: Credentials['tokens']): void {
    this.#credentials = { ...this.#credentials, tokens };
    this.#serving.use(this.#credentials);
  }

  snapshot(): EtcdSnapshot {
    return this.#etcd.snapshot();
  }

  /** Resolves when the replica has seen it. @returns how many keys changed */
  async rewind(snapshot: EtcdSnapshot): Promise<number> {
    const isObject = isObjectKey(this.#config.etcd.prefix);
    const changed = this.#etcd.rewind(snapshot, isObject);
    const { signal } = new AbortController();
    await this.#serving.replica.storage.snapshot(probed, { kind: 'mostRecent' }, signal);
    return changed;
  }

  /** An etcd that goes on from a state of this one. */
  forkedEtcd(snapshot: EtcdSnapshot | undefined): MemoryEtcd {
    return snapshot === undefined ? this.#etcd.fork() : new MemoryEtcd(etcdOptions, snapshot);
  }

  async stop(): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

const etcdOptions = { ...systemEnvironment, maxRequestBytes: largestRequestBytes };

function emptyEtcd(): MemoryEtcd {
  return new MemoryEtcd(etcdOptions);
}

/** @throws StartError with all faults at once */
async function configOf(flags: FlagTexts): Promise<CompletedConfig> {
  checkFlagNames(flags);
  const { config, errors } = await configFromFlags(flags);
  const { completed, errors: fileErrors } = await completeConfig(config);
  const all = [...errors, ...fileErrors];
  if (all.length > 0) throw new StartError(all);
  return completed;
}
