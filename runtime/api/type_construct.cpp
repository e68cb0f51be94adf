// The constructors of datatypes: arguments are checked and widened to 64 bits, the type is made by data/, the arguments are
// kept with it. Every body serves the int and the MPI_Count form.
#include "api/api.hpp"
#include "api/handles.hpp"
#include "api/type_contents.hpp"
#include "api/type_making.hpp"

namespace weft::api {
namespace {

template <typename Count>
int contiguous(Making making, Count count, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.not_negative("count", count)) return making.failed();
  return making.finish(data::make_contiguous(count, old), TypeArguments<Count>(MPI_COMBINER_CONTIGUOUS).count(count).type(old));
}

template <typename Count>
int vector(Making making, Count count, Count length, Count stride, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.not_negative("count", count) || !making.good_length(length)) return making.failed();
  return making.finish(data::make_vector(count, length, stride, old),
                       TypeArguments<Count>(MPI_COMBINER_VECTOR).count(count).count(length).count(stride).type(old));
}

template <typename Count, typename Address>
int hvector(Making making, Count count, Count length, Address stride, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.not_negative("count", count) || !making.good_length(length)) return making.failed();
  return making.finish(data::make_hvector(count, length, stride, old),
                       TypeArguments<Count>(MPI_COMBINER_HVECTOR).count(count).count(length).address(stride).type(old));
}

template <typename Count>
int indexed(Making making, Count count, const Count* lengths, const Count* displacements, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.good_blocks(count, lengths, displacements)) return making.failed();
  const Numbers all_lengths = widened(lengths, count), places = widened(displacements, count);
  return making.finish(data::make_indexed(all_lengths, places, old),
                       TypeArguments<Count>(MPI_COMBINER_INDEXED).count(count).counts(all_lengths).counts(places).type(old));
}

template <typename Count, typename Address>
int hindexed(Making making, Count count, const Count* lengths, const Address* displacements, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.good_blocks(count, lengths, displacements)) return making.failed();
  const Numbers all_lengths = widened(lengths, count), places = widened(displacements, count);
  return making.finish(data::make_hindexed(all_lengths, places, old),
                       TypeArguments<Count>(MPI_COMBINER_HINDEXED).count(count).counts(all_lengths).addresses(places).type(old));
}

template <typename Count>
int indexed_block(Making making, Count count, Count length, const Count* displacements, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.good_length(length) || !making.good_list("displacements", count, displacements)) return making.failed();
  const Numbers places = widened(displacements, count);
  return making.finish(data::make_indexed_block(length, places, old),
                       TypeArguments<Count>(MPI_COMBINER_INDEXED_BLOCK).count(count).count(length).counts(places).type(old));
}

template <typename Count, typename Address>
int hindexed_block(Making making, Count count, Count length, const Address* displacements, MPI_Datatype old_handle) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr || !making.good_length(length) || !making.good_list("displacements", count, displacements)) return making.failed();
  const Numbers places = widened(displacements, count);
  return making.finish(data::make_hindexed_block(length, places, old),
                       TypeArguments<Count>(MPI_COMBINER_HINDEXED_BLOCK).count(count).count(length).addresses(places).type(old));
}

template <typename Count, typename Address>
int structure(Making making, Count count, const Count* lengths, const Address* displacements, const MPI_Datatype* handles) {
  if (!making.good_blocks(count, lengths, displacements) || !making.good_list("types", count, handles)) return making.failed();
  const Numbers all_lengths = widened(lengths, count), places = widened(displacements, count);
  TypeArguments<Count> arguments(MPI_COMBINER_STRUCT);
  arguments.count(count).counts(all_lengths).addresses(places);
  std::vector<const data::Datatype*> types;
  for (Count i = 0; i < count; ++i) {
    const data::Datatype* type = making.element(handles[i]);
    if (type == nullptr) return making.failed();
    types.push_back(type);
    arguments.type(type);
  }
  return making.finish(data::make_struct(all_lengths, places, types), arguments);
}

template <typename Count, typename Address>
int resized(Making making, MPI_Datatype old_handle, Address lower_bound, Address extent) {
  const data::Datatype* old = making.element(old_handle);
  if (old == nullptr) return making.failed();
  return making.finish(data::make_resized(old, lower_bound, extent),
                       TypeArguments<Count>(MPI_COMBINER_RESIZED).address(lower_bound).address(extent).type(old));
}

}  // namespace
}  // namespace weft::api

using weft::api::Guard;
using weft::api::Making;

#define WEFT_TYPE_CONSTRUCTORS(Count, Address, suffix)                                                                             \
  WEFT_API(int, Type_contiguous##suffix)(Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {                              \
    const Guard guard("MPI_Type_contiguous" #suffix);                                                                              \
    return weft::api::contiguous<Count>({"MPI_Type_contiguous" #suffix, newtype}, count, oldtype);                                 \
  }                                                                                                                                \
  WEFT_API(int, Type_vector##suffix)(Count count, Count blocklength, Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) { \
    const Guard guard("MPI_Type_vector" #suffix);                                                                                  \
    return weft::api::vector<Count>({"MPI_Type_vector" #suffix, newtype}, count, blocklength, stride, oldtype);                    \
  }                                                                                                                                \
  WEFT_API(int, Type_create_hvector##suffix)(Count count, Count blocklength, Address stride, MPI_Datatype oldtype,                \
                                             MPI_Datatype* newtype) {                                                              \
    const Guard guard("MPI_Type_create_hvector" #suffix);                                                                          \
    return weft::api::hvector<Count, Address>({"MPI_Type_create_hvector" #suffix, newtype}, count, blocklength, stride, oldtype); \
  }                                                                                                                                \
  WEFT_API(int, Type_indexed##suffix)(Count count, const Count lengths[], const Count displacements[], MPI_Datatype oldtype,      \
                                      MPI_Datatype* newtype) {                                                                     \
    const Guard guard("MPI_Type_indexed" #suffix);                                                                                 \
    return weft::api::indexed<Count>({"MPI_Type_indexed" #suffix, newtype}, count, lengths, displacements, oldtype);               \
  }                                                                                                                                \
  WEFT_API(int, Type_create_hindexed##suffix)(Count count, const Count lengths[], const Address displacements[],                  \
                                              MPI_Datatype oldtype, MPI_Datatype* newtype) {                                       \
    const Guard guard("MPI_Type_create_hindexed" #suffix);                                                                         \
    return weft::api::hindexed<Count, Address>({"MPI_Type_create_hindexed" #suffix, newtype}, count, lengths, displacements,      \
                                               oldtype);                                                                           \
  }                                                                                                                                \
  WEFT_API(int, Type_create_indexed_block##suffix)(Count count, Count blocklength, const Count displacements[],                   \
                                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {                                  \
    const Guard guard("MPI_Type_create_indexed_block" #suffix);                                                                    \
    return weft::api::indexed_block<Count>({"MPI_Type_create_indexed_block" #suffix, newtype}, count, blocklength, displacements, \
                                           oldtype);                                                                               \
  }                                                                                                                                \
  WEFT_API(int, Type_create_hindexed_block##suffix)(Count count, Count blocklength, const Address displacements[],                \
                                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {                                 \
    const Guard guard("MPI_Type_create_hindexed_block" #suffix);                                                                   \
    return weft::api::hindexed_block<Count, Address>({"MPI_Type_create_hindexed_block" #suffix, newtype}, count, blocklength,     \
                                                     displacements, oldtype);                                                      \
  }                                                                                                                                \
  WEFT_API(int, Type_create_struct##suffix)(Count count, const Count lengths[], const Address displacements[],                    \
                                            const MPI_Datatype types[], MPI_Datatype* newtype) {                                   \
    const Guard guard("MPI_Type_create_struct" #suffix);                                                                           \
    return weft::api::structure<Count, Address>({"MPI_Type_create_struct" #suffix, newtype}, count, lengths, displacements,       \
                                                types);                                                                            \
  }                                                                                                                                \
  WEFT_API(int, Type_create_resized##suffix)(MPI_Datatype oldtype, Address lb, Address extent, MPI_Datatype* newtype) {           \
    const Guard guard("MPI_Type_create_resized" #suffix);                                                                          \
    return weft::api::resized<Count, Address>({"MPI_Type_create_resized" #suffix, newtype}, oldtype, lb, extent);                  \
  }
WEFT_TYPE_CONSTRUCTORS(int, MPI_Aint, )
WEFT_TYPE_CONSTRUCTORS(MPI_Count, MPI_Count, _c)
