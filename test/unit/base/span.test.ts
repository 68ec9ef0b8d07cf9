/** The span of the work in progress: it follows promises, and steps end with what they wait for. */
import { currentSpan, inStep, runInSpan, type Span, type SpanAttributes } from '../../../src/base/span.ts';

/** Writes down what happens. */
class Noted implements Span {
  readonly headers = {};
  private readonly name: string;
  private readonly log: string[];

  constructor(name: string, log: string[]) {
    this.name = name;
    this.log = log;
  }

  child(name: string): Span {
    this.log.push(`${this.name} begins ${name}`);
    return new Noted(name, this.log);
  }

  set(attributes: SpanAttributes): void {
    this.log.push(`${this.name} has ${JSON.stringify(attributes)}`);
  }

  fail(error: unknown): void {
    this.log.push(`${this.name} failed: ${String(error)}`);
  }

  end(): void {
    this.log.push(`${this.name} ends`);
  }
}

let log: string[];
beforeEach(() => {
  log = [];
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('without a span, work only runs', () => {
  expect(inStep('x', (step) => step)).toBeUndefined();
  expect(currentSpan()).toBeUndefined();
});

test('steps nest through promises, and end with them', async () => {
  await runInSpan(new Noted('root', log), () =>
    inStep('outer', async () => {
      await turn();
      expect(inStep('inner', () => 5)).toBe(5);
      await turn();
      log.push('result');
    }),
  );
  expect(log).toEqual(['root begins outer', 'outer begins inner', 'inner ends', 'result', 'outer ends']);
  expect(currentSpan()).toBeUndefined();
});

test('work of two requests at once does not mix', async () => {
  const work = async (name: string): Promise<void> => {
    await turn();
    await inStep('step', turn);
    log.push(name);
  };
  const two = ['a', 'b'].map((name) => runInSpan(new Noted(name, log), () => work(name)));
  await Promise.all(two);
  expect(log.filter((line) => line.includes('begins')).sort()).toEqual(['a begins step', 'b begins step']);
});

test('errors pass, and fail the step', async () => {
  const fails = (): never => {
    throw new TypeError('no');
  };
  await runInSpan(new Noted('root', log), async () => {
    expect(() => inStep('now', fails)).toThrow('no');
    await expect(inStep('later', () => turn().then(fails))).rejects.toThrow('no');
  });
  expect(log.slice(1, 3)).toEqual(['now failed: TypeError: no', 'now ends']);
  expect(log.slice(4)).toEqual(['later failed: TypeError: no', 'later ends']);
});
