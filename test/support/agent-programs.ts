/** What the agent of a node does on connections: runs programs, also in a terminal, and forwards ports. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { serveSpdy, type SpdyStream } from './spdy.ts';
import { acceptWebSocket } from './websocket.ts';

export interface ClientEnd {
  readonly req: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The streams of a program, whatever protocol carries them. */
interface ProgramStreams {
  output(data: Buffer): void;
  errors(data: Buffer): void;
  /** The last one: how the program ended. */
  finish(status: object): void;
}

/** The numbers of the streams in `v4.channel.k8s.io`, and the names of the same ones in SPDY. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };

/** Runs the command of a request over WebSocket. */
export function runOverWebSocket({ req, socket, head }: ClientEnd, folder: string): void {
  const [protocol = ''] = (req.headers['sec-websocket-protocol'] ?? '').split(',');
  const stream = acceptWebSocket(req, { socket, head }, protocol.trim());
  const on = (channel: number, data: Buffer): void =>
    stream.send(Buffer.concat([Buffer.from([channel]), data]));
  const program = new Program(queryOf(req), folder, {
    output: (data) => on(channels.stdout, data),
    errors: (data) => on(channels.stderr, data),
    finish: (status) => {
      on(channels.error, Buffer.from(JSON.stringify(status)));
      stream.send(Buffer.from([3, 232]), 8);
      stream.socket.end();
    },
  });
  stream.onFrame = ({ data }) => {
    if (data[0] === channels.close) program.endInput();
    else if (data[0] === channels.stdin) program.input(data.subarray(1));
    else if (data[0] === channels.resize) program.resize(data.subarray(1));
  };
  stream.socket.on('close', () => program.kill());
}

/** Runs the command of a request over SPDY: one stream for each of input, output, errors, status and sizes. */
export function runOverSpdy(end: ClientEnd, folder: string): void {
  acceptSpdy(end);
  const query = queryOf(end.req);
  const streams = new Map<string, SpdyStream>();
  const wanted = ['error', ...['input', 'output', 'tty'].filter((name) => query.has(name))];
  if (query.has('error') && !query.has('tty')) wanted.push('stderr');
  let program: Program | undefined;
  const begin = (): void => {
    program = new Program(query, folder, {
      output: (data) => streams.get('stdout')?.send(data),
      errors: (data) => streams.get('stderr')?.send(data),
      finish: (status) => {
        streams.get('error')?.send(JSON.stringify(status));
        for (const stream of streams.values()) stream.end();
        end.socket.end();
      },
    });
  };
  const onStream = (stream: SpdyStream): void => {
    const type = stream.headers.get('streamtype') ?? '';
    streams.set(type, stream);
    if (type === 'stdin') {
      stream.onData = (data) => program?.input(data);
      stream.onEnd = () => program?.endInput();
    } else if (type === 'resize') stream.onData = (data) => program?.resize(data);
    if (streams.size === wanted.length) begin();
  };
  void serveSpdy({ ...end, onStream })
    .catch(() => undefined)
    .then(() => program?.kill());
}

/** Connects each pair of streams of a client to the port that it names, at this host. */
export function forwardPorts(end: ClientEnd): void {
  acceptSpdy(end);
  const errors = new Map<string, SpdyStream>();
  const onStream = (stream: SpdyStream): void => {
    const id = stream.headers.get('requestid') ?? '';
    if (stream.headers.get('streamtype') === 'error') {
      errors.set(id, stream);
      return;
    }
    const error = errors.get(id);
    const socket = connect(Number(stream.headers.get('port')), '127.0.0.1');
    socket.on('data', (data) => stream.send(data)).on('end', () => stream.end());
    socket.on('error', ({ message }) => error?.send(message)).on('close', () => error?.end());
    stream.onData = (data) => socket.write(data);
    stream.onEnd = () => socket.end();
  };
  void serveSpdy({ ...end, onStream })
    .catch(() => undefined)
    .then(() => end.socket.end());
}

function acceptSpdy({ req, socket }: ClientEnd): void {
  const [protocol = ''] = String(req.headers['x-stream-protocol-version'] ?? '').split(',');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: SPDY/3.1', 'Connection: Upgrade'];
  socket.write([...lines, `X-Stream-Protocol-Version: ${protocol}`, '', ''].join('\r\n'));
}

function queryOf(req: IncomingMessage): URLSearchParams {
  return new URLSearchParams((req.url ?? '').split('?')[1]);
}

/** A program in the folder; one in a terminal starts when the size of the terminal is known. */
class Program {
  readonly #streams: ProgramStreams;
  readonly #command: readonly string[];
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(query: URLSearchParams, folder: string, streams: ProgramStreams) {
    this.#streams = streams;
    this.#folder = folder;
    // A client that attaches names no command: it gets the program of the container.
    this.#command = query.has('command') ? query.getAll('command') : ['cat'];
    if (query.has('tty')) return;
    this.#start(this.#command);
    if (!query.has('input')) this.endInput();
  }

  input(data: Buffer): void {
    this.#child?.stdin?.write(data);
  }

  endInput(): void {
    this.#child?.stdin?.end();
  }

  /** @param data JSON of the size */
  resize(data: Buffer): void {
    if (this.#child) return;
    const { Width, Height } = JSON.parse(data.toString()) as { Width: number; Height: number };
    const words = this.#command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const sized = `stty cols ${String(Width)} rows ${String(Height)}; exec ${words}`;
    this.#start(['script', '-qefc', sized, '/dev/null']);
  }

  kill(): void {
    this.#child?.kill();
  }

  #start([program = 'true', ...args]: readonly string[]): void {
    const child = spawn(program, args, { cwd: this.#folder, env: { ...process.env, SHELL: '/bin/sh' } });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => this.#streams.output(data));
    child.stderr.on('data', (data: Buffer) => this.#streams.errors(data));
    child.stdin.on('error', () => undefined);
    child.on('close', (code) => this.#streams.finish(statusOf(code ?? 1)));
  }
}

function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' };
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
}
