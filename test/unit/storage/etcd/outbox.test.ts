/** What is sent on a connection arrives in order and whole. */
import fc from 'fast-check';

import { framed } from '../../../../src/storage/etcd/grpc-message.ts';
import { callFrames, flag, frame, frameType } from '../../../../src/storage/etcd/http2/frames.ts';
import { Outbox } from '../../../../src/storage/etcd/http2/outbox.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

test('whatever its size and however late the memory comes back', () => {
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
          frame(data, message),
        );
      }
      outbox.flush();
      while (underWay.length > 0) arrive();
      expect(Buffer.concat(sent).equals(Buffer.concat(expected))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
