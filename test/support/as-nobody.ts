const nobody = 65_534;

/** Works with the rights of a user who owns nothing; only root can. The files of the work must be within reach. */
export async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
