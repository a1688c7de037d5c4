import type { Progress } from '../../kernel/command-api.ts';

/** Shows the progress of work whose total is unknown at the start. */
export interface WorkShown {
  update(done: number, total: number | null): void;
  end(): void;
}

export const showWork = (show: (total: number | null, unit?: string) => Progress, unit: string): WorkShown => {
  let shown: Progress | undefined;
  return {
    update(done, total) {
      shown ??= show(total, unit);
      if (total !== null) shown.resize(total);
      shown.update(done);
    },
    end: () => shown?.end(),
  };
};
