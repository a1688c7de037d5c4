import { useId } from 'preact/hooks';
import { useTexts } from '../../kit/use-texts.ts';
import { moveWeight, WEIGHT_NAMES, type Weights } from './weights.ts';

interface WeightSlidersProps {
  readonly weights: Weights;
  readonly onChange: (weights: Weights) => void;
}

/** What counts how much. The weights add up to 1, so that the others give way to the one that is moved. */
export const WeightSliders = ({ weights, onChange }: WeightSlidersProps) => {
  const { recall: texts } = useTexts();
  const id = useId();
  return (
    <fieldset class="weights" aria-label={texts.weights}>
      {WEIGHT_NAMES.map((name) => (
        <div key={name} class="weight">
          <label for={`${id}-${name}`}>{texts.weightNames[name]}</label>
          <input
            id={`${id}-${name}`}
            type="range"
            min={0}
            max={100}
            step={1}
            value={weights[name]}
            aria-valuetext={shareOf(weights[name])}
            onInput={({ currentTarget }) => onChange(moveWeight(weights, name, currentTarget.valueAsNumber))}
          />
          <output>{shareOf(weights[name])}</output>
        </div>
      ))}
    </fieldset>
  );
};

const shareOf = (hundredths: number): string => (hundredths / 100).toFixed(2);
