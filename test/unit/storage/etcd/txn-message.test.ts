/** What is written where it leaves has the bytes that protobufjs and buffers of its own would have. */
import { createRequire } from 'node:module';

import fc from 'fast-check';
import protobuf from 'protobufjs';

import { framed } from '../../../../src/storage/etcd/grpc-message.ts';
import { callFrames, flag, frame, frameType } from '../../../../src/storage/etcd/http2/frames.ts';
import { Outbox } from '../../../../src/storage/etcd/http2/outbox.ts';
import { bufferOf } from '../../../../src/storage/etcd/http2/piece.ts';
import type { Compare, RequestOp, TxnRequest } from '../../../../src/storage/etcd/messages.ts';
import { txnMessage } from '../../../../src/storage/etcd/txn-message.ts';
import { KeySpace } from '../../../../src/storage/keys.ts';
import { transactionOf } from '../../../../src/storage/write/guarded-write.ts';

const root = new protobuf.Root().loadSync(createRequire(import.meta.url).resolve('etcd3/proto/rpc.proto'), {
  keepCase: true,
});
const oracle = root.lookupType('etcdserverpb.TxnRequest');

function encodedByProtobufjs(request: object): Buffer {
  return Buffer.from(oracle.encode(request).finish());
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const revision = fc.oneof(
  fc.constantFrom(-1, 0, 1, 127, 128, 16_383, 16_384, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1),
  fc.maxSafeNat(),
);
const optional = { requiredKeys: [] };
const compare: fc.Arbitrary<Compare> = fc
  .tuple(
    fc.record({ result: fc.constantFrom(0, 2), target: fc.constantFrom(0, 1, 2), key: bytes(300) }),
    fc.oneof(
      fc.record({ version: revision }, optional),
      fc.record({ create_revision: revision }, optional),
      fc.record({ mod_revision: revision }, optional),
    ),
  )
  .map(([fixed, union]) => ({ ...fixed, ...union }));
const operation: fc.Arbitrary<RequestOp> = fc.oneof(
  fc.record({
    request_range: fc.record({ key: bytes(300), keys_only: fc.boolean() }, { requiredKeys: ['key'] }),
  }),
  fc.record({ request_put: fc.record({ key: bytes(300), value: bytes(20_000) }) }),
  fc.record({ request_delete_range: fc.record({ key: bytes(300) }) }),
);
const operations = fc.array(operation, { maxLength: 3 });
const transaction: fc.Arbitrary<TxnRequest> = fc.record({
  compare: fc.array(compare, { maxLength: 3 }),
  success: operations,
  failure: operations,
});

test('any transaction has the bytes that protobufjs makes of it', () => {
  fc.assert(
    fc.property(transaction, (request) => {
      expect(bufferOf(txnMessage(request)).equals(encodedByProtobufjs(request))).toBe(true);
    }),
  );
});

test('guarded writes have, too', () => {
  const keys = new KeySpace('/registry');
  const write = { collection: 'core/pods', key: 'a/b', mark: -7, since: 3 };
  const text = Buffer.from('{"kind":"Pod"}');
  const condition = { collection: 'core/namespaces', key: 'a', revision: 2 };
  for (const guarded of [
    { ...write, kind: 'create', expected: 0, bytes: text, condition },
    { ...write, kind: 'update', expected: 2 ** 40, bytes: text },
    { ...write, kind: 'update', expected: 0, bytes: text },
    { ...write, kind: 'delete', expected: 300, bytes: undefined },
  ] as const) {
    const request = transactionOf(keys, guarded, 12);
    const success = request.success.map(({ request_put: put, ...others }) => {
      return put === undefined ? others : { request_put: { ...put, value: bufferOf(put.value) } };
    });
    const expected = encodedByProtobufjs({ ...request, success });
    expect(bufferOf(txnMessage(request)).equals(expected)).toBe(true);
  }
});

test('what is sent arrives in order and whole, whatever its size and however late the memory comes back', () => {
  const piece = fc.record({
    block: bytes(200),
    body: fc.oneof(bytes(300), bytes(16_000)),
    isUrgent: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(3), (pieces, late) => {
      const sent: Buffer[] = [];
      const underWay: { bytes: Buffer; done: () => void }[] = [];
      const arrive = (): void => {
        const { bytes: arrived, done } = underWay.shift() ?? {
          bytes: Buffer.alloc(0),
          done: () => undefined,
        };
        sent.push(Buffer.from(arrived));
        done();
      };
      const outbox = new Outbox((leaving, done) => {
        underWay.push({ bytes: leaving, done });
        if (underWay.length > late) arrive();
      });
      const expected: Buffer[] = [];
      for (const [index, { block, body, isUrgent }] of pieces.entries()) {
        const stream = 2 * index + 1;
        const message = framed(body);
        outbox.send(callFrames(stream, block, message), isUrgent);
        const data = { type: frameType.data, flags: flag.endStream, stream };
        expected.push(
          frame({ type: frameType.headers, flags: flag.endHeaders, stream }, block),
          frame(data, bufferOf(message)),
        );
      }
      outbox.flush();
      while (underWay.length > 0) arrive();
      expect(Buffer.concat(sent).equals(Buffer.concat(expected))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
