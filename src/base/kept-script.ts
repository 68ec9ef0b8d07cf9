/**
 * A script with the code that was compiled of it: of all functions that have run. Node's own cache has what is compiled when
 * a module is loaded, and none of the functions that are compiled when they are first called.
 */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** The parameters that the text of the script has, as every module of CommonJS. */
type Wrapped = (
  ...module: readonly [
    exports: object,
    require: NodeJS.Require,
    module: { exports: object },
    filename: string,
    folder: string,
  ]
) => void;

/** The checksum of what follows: the stage, one byte, and the code. */
const checksumBytes = 4;

export class KeptScript {
  readonly #path: string;
  readonly #file: string;
  readonly #script: Script;
  #stage: number;

  /**
   * @param path of the text: a function of the parameters of a module of CommonJS
   * @param folder where the code is kept; nobody else can write there
   */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#file = join(folder, `${this.#family}-${this.#version}`);
    const kept = readChecked(this.#file);
    const cachedData = kept?.subarray(1);
    this.#script = new Script(readFileSync(path, 'latin1'), {
      filename: path,
      ...(cachedData && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    this.#stage = this.#script.cachedDataRejected === false ? (kept?.[0] ?? 0) : 0;
  }

  /** The stage that `keep` was given for the code in use; 0 if there is none. */
  get stage(): number {
    return this.#stage;
  }

  /** Runs it. @returns what it exports */
  run(): object {
    const module = { exports: {} };
    const wrapped = this.#script.runInThisContext() as Wrapped;
    wrapped(module.exports, createRequire(this.#path), module, this.#path, dirname(this.#path));
    return module.exports;
  }

  /**
   * Keeps what is compiled by now for the next process, in place of that of other builds, unless as much or more is kept. Where
   * nothing can be written, nothing is kept.
   * @param stage how much has run, from 1 to 255
   */
  keep(stage: number): void {
    if (stage <= this.#stage) return;
    const [folder, own] = [dirname(this.#file), basename(this.#file)];
    try {
      const kept = Buffer.concat([Buffer.of(stage), this.#script.createCachedData()]);
      const sum = Buffer.alloc(checksumBytes);
      sum.writeUInt32LE(crc32(kept));
      const unfinished = `${this.#file}.${String(process.pid)}.new`;
      writeFileSync(unfinished, Buffer.concat([sum, kept]), { mode: 0o600 });
      renameSync(unfinished, this.#file);
      this.#stage = stage;
      for (const name of readdirSync(folder))
        if (name.startsWith(`${this.#family}-`) && name !== own) rmSync(join(folder, name), { force: true });
    } catch {
      return;
    }
  }

  /** V8 does not notice another text of equal length. */
  get #version(): string {
    const { size, mtimeMs } = statSync(this.#path);
    return `${String(size)}-${String(mtimeMs)}`;
  }

  /** Of one version of V8 with the same flags. */
  get #family(): string {
    return `${basename(this.#path)}-${cachedDataVersionTag().toString(16)}`;
  }
}

/** The stage and the code; undefined if it is missing or damaged. */
function readChecked(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const kept = bytes.subarray(checksumBytes);
    return bytes.readUInt32LE() === crc32(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}
