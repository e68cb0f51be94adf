/* What datatype and operation calls refuse, and with which class. */
#include "../check.h"

static void sum(void* in, void* inout, int* length, MPI_Datatype* type)
{
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv)
{
  MPI_Datatype type = MPI_DATATYPE_NULL, predefined = MPI_INT;
  MPI_Op op = MPI_OP_NULL, predefined_op = MPI_SUM;
  int commutes = -1, in[2] = {1, 2}, inout[2] = {10, 20};
  double number[1] = {0}, other[1] = {0};
  check_begin(&argc, &argv);

  CHECK_CLASS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_vector(1, -1, 1, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_indexed(1, (int[]){-1}, (int[]){0}, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){MPI_DATATYPE_NULL}, &type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_create_subarray(1, (int[]){4}, (int[]){3}, (int[]){2}, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_create_subarray(1, (int[]){4}, (int[]){5}, (int[]){0}, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Type_free(&predefined), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_commit(&type), MPI_ERR_TYPE);

  CHECK_CLASS(MPI_Op_free(&predefined_op), MPI_ERR_OP);
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  CHECK_CLASS(MPI_Op_commutative(MPI_OP_NULL, &commutes), MPI_ERR_OP);
  CHECK_MPI(MPI_Op_commutative(MPI_MAXLOC, &commutes));
  CHECK_EQUAL(commutes, 1);
  CHECK_MPI(MPI_Op_create(sum, 0, &op));
  CHECK_MPI(MPI_Op_commutative(op, &commutes));
  CHECK_EQUAL(commutes, 0);
  CHECK_MPI(MPI_Reduce_local(in, inout, 2, MPI_INT, op));
  CHECK_EQUAL(inout[1], 22);
  CHECK_MPI(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);

  CHECK_CLASS(MPI_Reduce_local(number, other, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(number, other, 1, MPI_DOUBLE, MPI_MINLOC), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(number, other, 1, MPI_DOUBLE, MPI_REPLACE), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(number, other, 1, MPI_DOUBLE, MPI_OP_NULL), MPI_ERR_OP);
  CHECK_CLASS(MPI_Reduce_local(number, other, -1, MPI_DOUBLE, MPI_SUM), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Reduce_local(number, other, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
  return check_end();
}
