/** The frames of a watch as its client reads them. */
import type { IncomingMessage } from 'node:http';
import { within } from '../wait-for.ts';

interface Frame {
  type: string;
  object: {
    kind: string;
    metadata: Record<string, unknown>;
    code?: number;
    rows?: unknown[];
    columnDefinitions?: unknown[] | null;
  };
}

/** Reads frames line by line as they come. */
export class FrameReader {
  readonly res: IncomingMessage;
  private readonly lines: AsyncIterator<string>;

  constructor(res: IncomingMessage) {
    this.res = res;
    this.lines = linesOf(res);
  }

  async next(): Promise<Frame | undefined> {
    const line = await within('a frame', 3_000, this.lines.next());
    return line.done === true ? undefined : (JSON.parse(line.value) as Frame);
  }
}

async function* linesOf(res: IncomingMessage): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of res) {
    rest += (chunk as Buffer).toString('latin1');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error(`the stream ended inside a frame: ${rest.slice(0, 80)}`);
}
