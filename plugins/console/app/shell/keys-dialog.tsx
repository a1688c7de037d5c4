import { Dialog } from '../kit/dialog.tsx';
import { useTexts } from '../kit/use-texts.ts';

interface KeysProps {
  /** True while keys without Ctrl work. */
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly onClose: () => void;
}

/** The keys of the console. Single keys can be switched off, because speech input can press them by accident. */
export const KeysDialog = ({ isOn, onChange, onClose }: KeysProps) => {
  const { search: texts, contradictions } = useTexts();
  const keys = [
    ['Ctrl K', texts.title],
    ['/', texts.title],
    ['?', texts.keys],
    ['↑ ↓', texts.move],
    ['Enter', texts.choose],
    ['Esc', texts.leave],
  ] as const;
  const rivals = [
    ['1 – 9', contradictions.keys.choose],
    ['n', contradictions.keys.another],
    ['j', contradictions.keys.next],
    ['k', contradictions.keys.previous],
  ] as const;
  return (
    <Dialog title={texts.keys} onClose={onClose}>
      <KeyList keys={keys} />
      <h3>{texts.onContradiction}</h3>
      <KeyList keys={rivals} />
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
        {texts.single}
      </label>
    </Dialog>
  );
};

const KeyList = ({ keys }: { keys: readonly (readonly [key: string, does: string])[] }) => (
  <dl class="members">
    {keys.map(([key, does]) => (
      <>
        <dt>
          <kbd>{key}</kbd>
        </dt>
        <dd>{does}</dd>
      </>
    ))}
  </dl>
);
