/** Cases of the conformance data that fail because Kubernetes has it so, by section. */
export const failing: Readonly<Record<string, readonly string[]>> = {
  // A list of as many items as a negative number says is empty in the library that the API has.
  lists_ext: ['range/negative_error'],
  // Of a later version of the library for texts than that of the API.
  string_ext: ['reverse/empty', 'reverse/single_character', 'reverse/multiple'],
  // Durations of the API have nanoseconds in 64 bits: 292 years, where the language has 10,000.
  timestamps: [
    'duration_conversions/toString_duration_max',
    'duration_conversions/toString_duration_min',
    'duration_conversions/from_string_max',
    'duration_conversions/from_string_min',
    'timestamp_arithmetic/add_max_duration_to_min_time',
    'timestamp_arithmetic/subtract_max_duration_from_max_time',
    'timestamp_arithmetic/add_duration_to_duration_max',
    'timestamp_arithmetic/subtract_duration_from_duration_min',
    'timestamp_range/sub_time_duration_over',
    'timestamp_range/sub_time_duration_under',
  ],
  // Types as values that differ have no common type in the checker that the API has.
  type_deduction: [
    'type_decay/type_list_decay',
    'type_decay/type_ternary_decay',
    'type_decay/type_free_param_list_decay',
    'type_decay/type_free_param_list_decay_order_independent',
    'type_decay/type_nested_list_decay',
    'type_decay/type_free_param_list_concat',
  ],
};
