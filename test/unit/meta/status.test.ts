import { required } from '../../../src/meta/field-error.ts';
import { invalidObject, StatusError } from '../../../src/meta/status.ts';

const pod = { group: '', kind: 'Pod' };
const errors = (count: number): ReturnType<typeof required>[] =>
  Array.from({ length: count }, (_, i) => required(`spec.x[${String(i)}]`));

describe('the Status of an invalid object', () => {
  test('names one error as it is, several in a list', () => {
    expect(invalidObject(pod, 'a', errors(1)).message).toBe('Pod "a" is invalid: spec.x[0]: Required value');
    expect(invalidObject(pod, 'a', errors(2)).message).toBe(
      'Pod "a" is invalid: [spec.x[0]: Required value, spec.x[1]: Required value]',
    );
  });

  test('counts what is beyond five hundred errors', () => {
    const { status } = invalidObject(pod, 'a', errors(100_000));
    expect(status.details?.causes).toHaveLength(500);
    expect(status.message).toMatch(/spec\.x\[499\]: Required value, and at least 99500 more errors\]$/);
  });

  test('says where there may be more than were looked for', () => {
    const { message } = invalidObject(pod, 'a', errors(500));
    expect(message).toMatch(/spec\.x\[499\]: Required value, and possibly more errors\]$/);
    expect(invalidObject(pod, 'a', errors(499)).message).toMatch(/spec\.x\[498\]: Required value\]$/);
  });

  test('counts omitted causes', () => {
    const long = Array.from({ length: 400 }, () => required(`spec.${'x'.repeat(500)}`));
    const { status } = invalidObject(pod, 'a', long);
    const told = status.details?.causes?.length ?? 0;
    expect(told).toBeGreaterThan(10);
    expect(status.message).toMatch(new RegExp(`, and ${String(400 - told)} more errors\\]$`));
    expect(JSON.stringify(status).length).toBeLessThan(70_000);
  });
});

test.each([0, 99, 200, 226, 299, 600, 999, 1_000, 404.5, NaN, Infinity])(
  '%d is the code of no error',
  (code) => {
    expect(new StatusError(code, 'Unknown', 'odd').code).toBe(500);
  },
);

test('no Status is long, whatever it is made of', () => {
  const long = 'x'.repeat(100_000);
  const causes = Array.from({ length: 5_000 }, () => ({ reason: long, message: long, field: long }));
  const { status, message } = new StatusError(409, long, long, {
    details: { name: long, group: long, kind: long, uid: long, causes, retryAfterSeconds: 3 },
  });
  expect(message).toBe(status.message);
  expect(status.details).toMatchObject({ name: `${'x'.repeat(500)}…`, retryAfterSeconds: 3 });
  expect(JSON.stringify(status).length).toBeLessThan(110_000);
});
