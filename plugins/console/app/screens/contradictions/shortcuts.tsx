import { useTexts } from '../../kit/use-texts.ts';

interface ShortcutsProps {
  readonly isOn: boolean;
  readonly canSettle: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** The keyboard shortcuts. They can be switched off, because speech input can press keys by accident. */
export const Shortcuts = ({ isOn, canSettle, onChange }: ShortcutsProps) => {
  const { contradictions: texts } = useTexts();
  const keys = [
    ...(canSettle
      ? ([
          ['1 – 9', texts.keys.choose],
          ['n', texts.keys.another],
          ['Enter', texts.keys.confirm],
        ] as const)
      : []),
    ['x', texts.keys.select] as const,
    ['j', texts.keys.next] as const,
    ['k', texts.keys.previous] as const,
  ];
  return (
    <div class="shortcuts">
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
        {texts.shortcuts}
      </label>
      {isOn && (
        <ul>
          {keys.map(([key, does]) => (
            <li key={key}>
              <kbd>{key}</kbd> {does}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};
