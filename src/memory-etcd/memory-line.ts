/** A connection to the etcd in memory. Answers come later, in the order of the calls. */
import { asError } from '../base/errors.ts';
import { mostMessageBytes } from '../storage/etcd/grpc-message.ts';
import { EtcdError } from '../storage/etcd/etcd-error.ts';
import type { AnswerListener, AnswerStream, EtcdLine } from '../storage/etcd/etcd-line.ts';
import type { StreamMethod, UnaryMethod } from '../storage/etcd/etcd-messages.ts';
import type { Member } from './member.ts';
import { rangeResponseSize } from './message-size.ts';
import type { RangeResponse, WatchCreateRequest, WatchResponse } from './messages.ts';
import type { Pace } from './pace.ts';
import { checkRequestSize } from './request-size.ts';
import { connectionLost, largerThanMax, serverError, unknownMethod } from './server-error.ts';
import type { Watcher } from './watcher.ts';

type Handler = (member: Member, request: never) => unknown;

const watchPath = '/etcdserverpb.Watch/Watch';
const rangePath = '/etcdserverpb.KV/Range';

const handlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  [rangePath, (member, request) => member.range(request)],
  ['/etcdserverpb.KV/Put', (member, request) => member.put(request)],
  ['/etcdserverpb.KV/DeleteRange', (member, request) => member.deleteRange(request)],
  ['/etcdserverpb.KV/Txn', (member, request) => member.txn(request)],
  ['/etcdserverpb.KV/Compact', (member, request) => member.compact(request)],
  ['/etcdserverpb.Lease/LeaseGrant', (member, request) => member.grantLease(request)],
  ['/etcdserverpb.Lease/LeaseRevoke', (member, { ID }: { ID?: number }) => member.leases.revoke(ID)],
  ['/etcdserverpb.Lease/LeaseKeepAlive', (member, { ID }: { ID?: number }) => member.leases.keepAlive(ID)],
  ['/etcdserverpb.Lease/LeaseTimeToLive', (member, request) => member.leases.timeToLive(request)],
  ['/etcdserverpb.Lease/LeaseLeases', (member) => member.leases.list()],
  ['/etcdserverpb.Maintenance/Status', (member) => member.maintenance.status()],
  ['/etcdserverpb.Maintenance/Alarm', (member, request) => member.maintenance.alarm(request)],
  ['/etcdserverpb.Maintenance/Defragment', (member) => member.maintenance.defragment()],
  [
    '/etcdserverpb.Auth/Authenticate',
    () => {
      throw serverError('authNotEnabled');
    },
  ],
]);

export class MemoryLine implements EtcdLine {
  readonly #member: Member;
  readonly #pace: Pace;
  readonly #onClose: () => void;
  readonly #streams = new Set<Watcher>();
  #isUp = true;

  /** @param pace that of all connections @param onClose called once, when the connection is closed by either side */
  constructor(member: Member, pace: Pace, onClose: () => void) {
    this.#member = member;
    this.#pace = pace;
    this.#onClose = onClose;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** There are no users, so that no token is looked at. */
  useToken(): void {
    // Nothing to keep.
  }

  /** Rejects as an etcd over the network does; the deadline never passes. */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    _timeoutMs: number,
    maxBytes = mostMessageBytes,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      try {
        const response = this.#answer(method, request, maxBytes);
        this.#pace.take(() => {
          resolve(response);
        });
      } catch (error) {
        this.#pace.take(() => {
          reject(asError(error));
        });
      }
    });
  }

  stream<Request, Response>(
    method: StreamMethod<Request, Response>,
    request: Request,
    listener: AnswerListener<Response>,
  ): AnswerStream {
    if (method.path !== watchPath) throw unknownMethod(method.path);
    const { create_request: create } = request as { create_request: WatchCreateRequest };
    const watcher = this.#member.watch(create, listener as AnswerListener<WatchResponse>);
    this.#streams.add(watcher);
    if (!this.#isUp) watcher.end(connectionLost());
    return {
      cancel: () => {
        this.#streams.delete(watcher);
        watcher.cancel();
      },
      pause: () => {
        watcher.pause();
      },
      resume: () => {
        watcher.resume();
      },
    };
  }

  /** Calls have been answered by then; streams end at once. */
  close(): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    for (const watcher of this.#streams) watcher.end(connectionLost());
    this.#streams.clear();
    this.#onClose();
  }

  #answer<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    maxBytes: number,
  ): Response {
    if (!this.#isUp) throw new EtcdError('notSent', 'the connection to etcd takes no call');
    const handler = handlers.get(method.path);
    if (handler === undefined) throw unknownMethod(method.path);
    checkRequestSize(method, request, this.#member.maxMessageBytes);
    const response = handler(this.#member, request as never) as Response;
    if (method.path === rangePath) checkResponseSize(response as RangeResponse, maxBytes);
    return response;
  }
}

function checkResponseSize(response: RangeResponse, maxBytes: number): void {
  const size = rangeResponseSize(response);
  if (size > maxBytes) throw largerThanMax(size, maxBytes, 'client');
}
