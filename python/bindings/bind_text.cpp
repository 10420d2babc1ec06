// Texts: symbols, sentences, labels.
#include <hankelmatch/text/text_reader.hpp>
#include <string_view>
#include <utility>

#include "bindings.hpp"

namespace hankelmatch::bindings {

namespace {

py::tuple read_text_bytes(const py::bytes& data, bool tokens, bool stream, bool end_symbol,
                          bool start_symbol) {
  const TextOptions options{tokens ? TextUnit::kToken : TextUnit::kCharacter, stream, end_symbol,
                            start_symbol};
  const std::string_view text(data);  // bytes never change, so they may be read without the GIL
  TokenizedText result =
      without_gil([&](Interrupt& interrupt) { return read_text(text, options, interrupt); });
  return py::make_tuple(to_array(std::move(result.symbols)), to_array(std::move(result.offsets)),
                        py::cast(result.labels));
}

}  // namespace

void register_text(py::module_& m) {
  m.def("read_text", &read_text_bytes, py::arg("data"), py::arg("tokens"), py::arg("stream"),
        py::arg("end_symbol"), py::arg("start_symbol"),
        "(symbols int32, offsets int64, labels) of a UTF-8 text; the end symbol has the id len(labels), the "
        "start symbol the next one.");
}

}  // namespace hankelmatch::bindings
