/** One of a few, side by side: radio buttons that look like a switch. */
interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly legend: string;
  readonly isLegendShown?: boolean;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}

export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { name, legend, isLegendShown = false, options, chosen, onChoose } = props;
  return (
    <fieldset class="choice">
      <legend class={isLegendShown ? 'choice-legend' : 'out-of-sight'}>{legend}</legend>
      <div class="choice-options">
        {options.map(([value, text]) => (
          <label key={value} class="choice-option">
            <input type="radio" name={name} value={value} checked={chosen === value} onChange={() => onChoose(value)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
