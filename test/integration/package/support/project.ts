/** An empty project into which the package of this checkout is installed, as a user's would be. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../../../support/paths.ts';
import { makeTempFolder } from '../../../support/temp-folder.ts';

export interface Ended {
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
}

const limitMs = 240_000;

export class Project {
  readonly folder: string;
  readonly #remove: () => Promise<void>;

  private constructor(folder: string, remove: () => Promise<void>) {
    this.folder = folder;
    this.#remove = remove;
  }

  /** Packs this checkout and installs it beside other packages, in the versions of this checkout or as they are given. */
  static with(packages: readonly string[]): Promise<Project> {
    return Project.#begin(async (project) => project.#install([await project.#pack(), ...packages]));
  }

  /** Installs other packages alone. */
  static without(packages: readonly string[]): Promise<Project> {
    return Project.#begin((project) => project.#install(packages));
  }

  static async #begin(install: (project: Project) => Promise<void>): Promise<Project> {
    const folder = await makeTempFolder('package');
    const project = new Project(folder.path, () => folder.remove());
    try {
      project.write('package.json', '{ "private": true }');
      await install(project);
      return project;
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Runs a program there. */
  run(program: string, args: readonly string[], { env = {} }: RunOptions = {}): Promise<Ended> {
    return run(program, args, { cwd: this.folder, env });
  }

  remove(): Promise<void> {
    return this.#remove();
  }

  /** @returns the tarball, as npm installs it */
  async #pack(): Promise<string> {
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', this.folder], {
      cwd: repositoryRoot,
    });
    // A build that is made first tells its steps, too.
    const tarball = packed.output.split('\n').findLast((line) => line.endsWith('.tgz'));
    if (packed.code !== 0 || tarball === undefined) throw new Error(`npm pack: ${packed.output}`);
    return `./${tarball}`;
  }

  async #install(packages: readonly string[]): Promise<void> {
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
    const installed = await this.run('npm', ['install', ...quiet, ...packages.map(versioned)]);
    if (installed.code !== 0) throw new Error(`npm install: ${installed.output}`);
  }
}

function run(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  // What the runner of these tests says of itself is not the business of theirs.
  const {
    JEST_WORKER_ID: _worker,
    NODE_ENV: _environment,
    NODE_OPTIONS: _options,
    ...inherited
  } = process.env;
  const options = { cwd, env: { ...inherited, ...env }, timeout: limitMs, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

const { devDependencies } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

function versioned(name: string): string {
  return name in devDependencies ? `${name}@${String(devDependencies[name])}` : name;
}
