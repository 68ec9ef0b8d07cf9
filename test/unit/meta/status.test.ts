import { required } from '../../../src/meta/field-error.ts';
import { invalidObject } from '../../../src/meta/status.ts';

const pod = { group: '', kind: 'Pod' };
const faults = (count: number): ReturnType<typeof required>[] =>
  Array.from({ length: count }, (_, i) => required(`spec.x[${String(i)}]`));

describe('the Status of an invalid object', () => {
  test('names one fault as it is, several in a list', () => {
    expect(invalidObject(pod, 'a', faults(1)).message).toBe('Pod "a" is invalid: spec.x[0]: Required value');
    expect(invalidObject(pod, 'a', faults(2)).message).toBe(
      'Pod "a" is invalid: [spec.x[0]: Required value, spec.x[1]: Required value]',
    );
  });

  test('counts what is beyond a thousand faults', () => {
    const { status } = invalidObject(pod, 'a', faults(100_000));
    expect(status.details?.causes).toHaveLength(1_000);
    expect(status.message).toMatch(/spec\.x\[999\]: Required value, and 99000 more faults\]$/);
  });
});
