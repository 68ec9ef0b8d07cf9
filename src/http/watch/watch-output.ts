/** Where the frames of a watch go: the body of a response, or a WebSocket with one message per event. */
import type { Duplex } from 'node:stream';
import type { RequestContext } from '../request-context.ts';
import { writeHead } from '../respond.ts';
import { drained } from '../sliced-stream.ts';
import { JoinedFrames } from './joined-frames.ts';
import { ClientFrames, closeFrame, handshakeOf, messageFrame, wantsWebSocket } from '../websocket.ts';

export interface WatchOutput {
  /** Nothing is written yet: an error can still be a status code. */
  readonly isUnanswered: boolean;
  /** Bytes that wait for the client. */
  readonly waitingBytes: number;
  readonly needsDrain: boolean;
  /** Tells the client that the watch is established. @throws StatusError if the client asks for it wrongly */
  begin(): void;
  write(frames: readonly Buffer[]): void;
  /** The bytes of a frame as the client gets them, for `writeBytes`; the frame is not copied, as many clients may get it. */
  sent(frame: Buffer): readonly Buffer[];
  /** Writes a piece of such bytes. */
  writeBytes(bytes: Buffer): void;
  /** Resolves when the client has read what waits, or is gone. */
  drained(): Promise<void>;
  end(): void;
  destroy(): void;
}

/** @param watchType the Content-Type of the stream */
export function watchOutputOf(context: RequestContext, watchType: string): WatchOutput {
  const isWebSocket = context.upgrade && wantsWebSocket(context.req);
  return isWebSocket ? new WebSocketOutput(context, watchType) : new ResponseOutput(context, watchType);
}

/** Of all watches over HTTP. */
const joined = new JoinedFrames();

class ResponseOutput implements WatchOutput {
  readonly #context: RequestContext;
  readonly #contentType: string;

  constructor(context: RequestContext, contentType: string) {
    this.#context = context;
    this.#contentType = contentType;
  }

  get isUnanswered(): boolean {
    return !this.#context.res.headersSent;
  }

  get waitingBytes(): number {
    return this.#context.res.writableLength;
  }

  get needsDrain(): boolean {
    return this.#context.res.writableNeedDrain;
  }

  begin(): void {
    writeHead(this.#context, { code: 200, contentType: this.#contentType, length: undefined }).flushHeaders();
  }

  write(frames: readonly Buffer[]): void {
    this.writeBytes(joined.join(frames));
  }

  sent(frame: Buffer): readonly Buffer[] {
    return [frame];
  }

  writeBytes(bytes: Buffer): void {
    this.#context.res.write(bytes);
  }

  drained(): Promise<void> {
    return drained(this.#context, this.#context.res);
  }

  end(): void {
    this.#context.res.end();
  }

  destroy(): void {
    this.#context.res.destroy();
  }
}

/** Bytes of the length before each Protobuf frame; the messages of a WebSocket have lengths of their own. */
const prefixBytes = 4;

type Wrap = (frame: Buffer) => readonly Buffer[];
const messages: Readonly<Record<'text' | 'binary' | 'protobuf', Wrap>> = {
  // JSON goes as text, everything else as bytes.
  text: (frame) => messageFrame(frame, false),
  binary: (frame) => messageFrame(frame, true),
  protobuf: (frame) => messageFrame(frame.subarray(prefixBytes), true),
};
/** Of all watches over WebSocket. */
const joinedMessages = {
  text: new JoinedFrames(messages.text),
  binary: new JoinedFrames(messages.binary),
  protobuf: new JoinedFrames(messages.protobuf),
};

class WebSocketOutput implements WatchOutput {
  readonly #context: RequestContext;
  readonly #messages: keyof typeof messages;
  readonly #handshake: string;
  #socket: Duplex | undefined = undefined;

  constructor(context: RequestContext, watchType: string) {
    this.#context = context;
    const isProtobuf = watchType.endsWith('protobuf;stream=watch');
    this.#messages = watchType === 'application/json' ? 'text' : isProtobuf ? 'protobuf' : 'binary';
    this.#handshake = handshakeOf(context.req);
  }

  get isUnanswered(): boolean {
    return this.#socket === undefined;
  }

  get waitingBytes(): number {
    return this.#socket?.writableLength ?? 0;
  }

  get needsDrain(): boolean {
    return this.#socket?.writableNeedDrain === true;
  }

  begin(): void {
    const { socket, head } = this.#context.takeConnection();
    this.#socket = socket;
    this.#context.answeredType = 'websocket';
    socket.write(this.#handshake);
    new ClientFrames(socket, head, this.#context.phase.clock);
  }

  write(frames: readonly Buffer[]): void {
    this.writeBytes(joinedMessages[this.#messages].join(frames));
  }

  sent(frame: Buffer): readonly Buffer[] {
    return messages[this.#messages](frame);
  }

  writeBytes(bytes: Buffer): void {
    if (this.#socket?.writable === true) this.#socket.write(bytes);
  }

  drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket?.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done).off('close', done);
        resolve();
      };
      socket.once('drain', done).once('close', done);
    });
  }

  end(): void {
    if (this.#socket?.writable === true) this.#socket.end(closeFrame());
  }

  destroy(): void {
    this.#socket?.destroy();
  }
}
