/** A kubeconfig as a file, for programs that want one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in a folder of their own, which goes with `remove`, at the latest with the process. */
export class KubeconfigFiles {
  #folder: string | undefined;
  readonly #onExit = (): void => {
    this.remove();
  };

  /** Writes a file that only its owner reads. @returns its path */
  async write(name: string, text: string): Promise<string> {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
      process.once('exit', this.#onExit);
    }
    const path = join(this.#folder, `${encodeURIComponent(name)}.kubeconfig`);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  remove(): void {
    process.removeListener('exit', this.#onExit);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
