/**
 * The name of the past of etcd, kept in etcd itself (`~past`). Every write requires the name that its view has. So no
 * write that was decided on one past takes effect in another: a cluster of others has no such name, or its own. A
 * restored cluster has the name of its backup at first; whoever finds that etcd has another past gives it a new name
 * before it serves that state, and from then on writes of replicas that have not found out are refused.
 */
import type { Random } from '../base/random.ts';
import type { EtcdClient } from './etcd/client.ts';
import { refusesWrites, toEtcdError } from './etcd/etcd-error.ts';
import type { Compare, EtcdEvent, RangeResponse, RequestOp } from './etcd/message-types.ts';
import type { KeySpace } from './keys.ts';
import type { StorageLogger } from './options.ts';

export interface PastNameDependencies {
  readonly client: Pick<EtcdClient, 'range' | 'txn'>;
  readonly keys: KeySpace;
  readonly logger: StorageLogger;
  readonly random: Random;
}

/**
 * Gives the past of etcd a name, unless another replica already has.
 * @param former the name of the past before, which is replaced; undefined if there was none
 * @returns the name that etcd has now; undefined, or the former one, if it takes no writes
 * @throws EtcdError if etcd cannot be reached
 */
export async function namePast(
  deps: PastNameDependencies,
  former: string | undefined,
): Promise<string | undefined> {
  const { client, keys, logger, random } = deps;
  const key = keys.pastName();
  // Read alone first: an etcd without space refuses any transaction that might write.
  const found = textIn(await client.range({ key }, { isOfAnyPast: true }));
  if (found !== undefined && found !== former) return found;
  const name = random.uuid();
  try {
    const answer = await client.txn({
      compare: [isNamed(key, found)],
      success: [{ request_put: { key, value: Buffer.from(name) } }],
      failure: [{ request_range: { key } }],
    });
    return answer.succeeded ? name : textIn(answer.responses[0]?.response_range);
  } catch (error) {
    const etcdError = toEtcdError(error, 'txn');
    const { kind, message } = etcdError;
    if (!refusesWrites(etcdError) && kind !== 'refused' && kind !== 'denied') throw error;
    logger.warn({ error: message }, 'etcd does not store the name of its past');
    return found;
  }
}

function textIn(answer: RangeResponse | null | undefined): string | undefined {
  return answer?.kvs[0]?.value.toString();
}

/** The condition of writes that were decided in a past; undefined if it has no name. */
export function pastGuard(keys: KeySpace, name: string | undefined): Compare | undefined {
  return name === undefined ? undefined : isNamed(keys.pastName(), name);
}

/** Reads the name, for a transaction whose condition was not met. */
export function readPastName(keys: KeySpace): RequestOp {
  return { request_range: { key: keys.pastName() } };
}

/** Whether an event gives the past another name than this. */
export function isRenaming({ type, kv }: EtcdEvent, key: Buffer, name: string | undefined): boolean {
  if (name === undefined || kv.key.length !== key.length || !kv.key.equals(key)) return false;
  return type !== 0 || kv.value.toString() !== name;
}

function isNamed(key: Buffer, name: string | undefined): Compare {
  if (name === undefined) return { result: 0, target: 1, key, create_revision: 0 };
  return { result: 0, target: 3, key, value: Buffer.from(name) };
}
