import fc from 'fast-check';
import { StatusError } from '../../../src/meta/status.ts';
import { decodeContinueToken, encodeContinueToken } from '../../../src/registry/read/continue-token.ts';

test('a token comes back as it was made', () => {
  const revision = fc.option(fc.integer({ min: 1 }), { nil: undefined });
  const after = fc.string({ minLength: 1 }).filter((text) => text.isWellFormed());
  const past = fc.option(fc.uuid(), { nil: undefined });
  fc.assert(
    fc.property(revision, after, past, (r, a, p) => {
      const token = { revision: r, after: a, past: p };
      expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
    }),
  );
});

test('any other text is refused with 400', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      expect(() => decodeContinueToken(text)).toThrow(StatusError);
    }),
  );
  const forged = (body: unknown): string => Buffer.from(JSON.stringify(body)).toString('base64url');
  for (const body of [
    {},
    { rv: 0, after: 'a' },
    { rv: 1 },
    { rv: '1', after: 'a' },
    { rv: 1.5, after: 'a' },
    { rv: 1, after: '' },
    { rv: 1, after: 'a', past: 7 },
    null,
    7,
  ]) {
    expect(() => decodeContinueToken(forged(body))).toThrow(StatusError);
  }
});
