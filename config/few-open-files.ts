/** Returns what to print about an error of loading the program; undefined for one that has another cause. */
export const tooFewOpenFiles = ({ code }: NodeJS.ErrnoException): string | undefined =>
  code === 'EMFILE' || code === 'ENFILE'
    ? 'error: the system lets this program open too few files at once\n' +
      'hint: raise the limit to 1024 or more: "ulimit -n 1024" in a shell, LimitNOFILE= of systemd, --ulimit of Docker\n'
    : undefined;
