/** The user agent of `controlPlane.admin`, by which requests of a test are told from those of what it tests. */
export const adminClientAgent = 'orch-apiserver-testing/admin';
